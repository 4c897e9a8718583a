import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules

/// Loads `file:` URLs: streams the file, or the part of it that a `Range` field asks for. Files aren't written: requests that mean that fail.
struct FileURLHandler: ProtocolHandler {
  func load(_ request: LoadRequest, _ context: LoadContext, _ client: any LoadClient) async throws(LoadError) -> Loaded {
    guard let url = request.url, url.isFileURL, !url.path.isEmpty else {
      throw LoadError(.badURL, .admission, "the file: URL has no path")
    }
    guard FileURLHandler.reads(request) else {
      throw LoadError(
        .unsupportedURL, .admission, "a file: URL can only be read: use GET or HEAD without a body, and FileManager to change files")
    }
    context.record.requestStart = context.clock.now
    let isHEAD = request.method.uppercased() == "HEAD"
    var reader = try await FileReader.open(path: url.path)
    try context.checkpoint()
    guard reader.hasKnownSize else {
      context.record.responseStart = context.clock.now
      return loaded(response(to: url, expectedLength: -1), reader, isHEAD)
    }
    var range = 0..<reader.size
    // RFC 9110, 13.1.5: with `If-Range` the app wants a part only of the version that it knows.
    let isCurrent = request.headers.first("If-Range").map { $0 == reader.tag } ?? true
    switch ByteRangeRules.decide(isCurrent ? request.headers.first("Range") : nil, length: reader.size) {
    case .whole: break
    case .part(let part):
      range = part
      reader = reader.limited(to: part)
    case .unsatisfiable:
      throw LoadError(.resourceUnavailable, .head, "the range lies outside the file, which has \(reader.size) bytes")
    }
    context.record.responseStart = context.clock.now
    var response = response(to: url, expectedLength: Int64(range.count))
    response.part = ResourcePart(offset: range.lowerBound, total: reader.size, tag: reader.tag)
    return loaded(response, reader, isHEAD)
  }

  private static func reads(_ request: LoadRequest) -> Bool {
    switch request.body {
    case .none: break
    case .data(let data) where data.isEmpty: break
    case .data, .file, .parts, .stream, .suppliedStream, .pieces: return false
    }
    return ["GET", "HEAD"].contains(request.method.uppercased())
  }

  private func loaded(_ response: LoadResponse, _ reader: FileReader, _ isHEAD: Bool) -> Loaded {
    guard isHEAD else { return Loaded(response: response, body: reader) }
    reader.abandon()
    return Loaded(response: response, body: NoBody(), framing: .none)
  }

  private func response(to url: URL, expectedLength: Int64) -> LoadResponse {
    LoadResponse(
      url: url, kind: .plain(mimeType: FileExtensions.mimeType(forExtension: url.pathExtension), textEncoding: nil),
      expectedLength: expectedLength)
  }
}
