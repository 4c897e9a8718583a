import Foundation
import LoadingModel

/// A response on its way between two processes.
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
  /// Of an HTTP response.
  private let head: Head?
  private let sniffedType: String?
  /// Of any other.
  private let mimeType: String?
  private let textEncoding: String?

  /// nil for a response without a URL.
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
