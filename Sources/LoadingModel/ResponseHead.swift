import Foundation

/// Status line and header fields of an HTTP response, as received.
package struct ResponseHead: Sendable {
  package var status: Int
  package var reason: String
  /// "HTTP/1.1", "HTTP/1.0", "HTTP/2", "HTTP/3".
  package var version: String
  package var headers: HeaderFields

  package init(status: Int, reason: String = "", version: String = "HTTP/1.1", headers: HeaderFields) {
    self.status = status
    self.reason = reason
    self.version = version
    self.headers = headers
  }

  package var isInformational: Bool { status >= 100 && status < 200 }
}

/// A response of any scheme, before the public layer gives it its class.
package struct LoadResponse: Sendable {
  package enum Kind: Sendable {
    /// HTTP: becomes an `HTTPURLResponse`.
    case http(ResponseHead)
    /// Anything else: becomes a plain `URLResponse`.
    case plain(mimeType: String?, textEncoding: String?)
    /// Already an object of the public layer, from an app's own protocol class.
    case native(any AnyObject & Sendable)
  }
  package var url: URL
  package var kind: Kind
  /// Body length in bytes as announced; -1 if unknown. -1 as well where the loader removes a content coding.
  package var expectedLength: Int64

  package init(url: URL, kind: Kind, expectedLength: Int64) {
    self.url = url
    self.kind = kind
    self.expectedLength = expectedLength
  }

  /// The HTTP status, without a copy of the head.
  package var status: Int? {
    if case .http(let head) = kind { head.status } else { nil }
  }

  package func hasField(_ name: String) -> Bool {
    if case .http(let head) = kind { head.headers.contains(name) } else { false }
  }

  package var httpHead: ResponseHead? {
    if case .http(let head) = kind { head } else { nil }
  }
}
