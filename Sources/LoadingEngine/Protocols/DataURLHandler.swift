import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules

/// Loads `data:` URLs (RFC 2397): the body is in the URL itself.
struct DataURLHandler: ProtocolHandler {
  func load(_ request: LoadRequest, _ context: LoadContext, _ client: any LoadClient) async throws(LoadError) -> Loaded {
    guard let url = request.url, let parsed = DataURL.parse(url.absoluteString) else {
      throw LoadError(
        .cannotDecodeContentData, .admission,
        "the data: URL is malformed; it needs a comma before its content, and valid base64 if it says base64")
    }
    let now = context.clock.now
    context.record.requestStart = now
    context.record.responseStart = now
    let response = LoadResponse(
      url: url, kind: .plain(mimeType: parsed.mimeType, textEncoding: parsed.charset), expectedLength: Int64(parsed.body.count))
    return Loaded(response: response, body: DataReader(Data(parsed.body)))
  }
}
