import Foundation
import LoadingModel

/// The form in which a response is sent between an app and the daemon.
struct ResponseValue: Codable, Sendable {
  private struct Field: Codable, Sendable {
    let name: String
    let value: String
  }

  private struct Head: Codable, Sendable {
    let status: Int
    let version: String
    let fields: [Field]
  }

  private let url: URL
  private let expectedLength: Int64
  /// Status and header fields of an HTTP response; nil for any other response.
  private let head: Head?
  private let sniffedType: String?
  /// The MIME type, which `response` uses for responses other than HTTP's.
  private let mimeType: String?
  private let textEncoding: String?

  /// nil if the response has no URL.
  init?(_ response: URLResponse) {
    guard let url = response.url else { return nil }
    self.url = url
    expectedLength = response.expectedContentLength
    if let http = response as? HTTPURLResponse {
      let entries = http.head.headers.entries.map { Field(name: $0.name, value: $0.value) }
      head = Head(status: http.head.status, version: http.head.version, fields: entries)
    } else {
      head = nil
    }
    sniffedType = response.load.sniffedType
    mimeType = response.mimeType
    textEncoding = response.textEncodingName
  }

  var response: URLResponse {
    let kind: LoadResponse.Kind =
      if let head {
        .http(
          ResponseHead(status: head.status, version: head.version, headers: HeaderFields(head.fields.map { ($0.name, $0.value) })))
      } else {
        .plain(mimeType: mimeType, textEncoding: textEncoding)
      }
    var load = LoadResponse(url: url, kind: kind, expectedLength: expectedLength)
    load.sniffedType = sniffedType
    return URLResponse.make(load)
  }
}
