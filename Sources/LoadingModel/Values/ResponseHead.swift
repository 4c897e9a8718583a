import Foundation

/// Status line and header fields of an HTTP response, as received.
package struct ResponseHead: Sendable {
  package var status: Int
  package var reason: String
  /// The HTTP version: "HTTP/1.1", "HTTP/1.0", "HTTP/2" or "HTTP/3".
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

/// A response of any scheme, from which the public layer makes a `URLResponse` or `HTTPURLResponse`.
///
/// The value is one pointer wide, like `LoadError` and for the same reason.
package struct LoadResponse: Sendable {
  package enum Kind: Sendable {
    /// HTTP: becomes an `HTTPURLResponse`.
    case http(ResponseHead)
    /// Anything else: becomes a plain `URLResponse`.
    case plain(mimeType: String?, textEncoding: String?)
    /// An object of the public layer already, from an app's own protocol class.
    case native(any AnyObject & Sendable)
    /// No response: an app's own protocol class has ended its load without one, and the app isn't told of one.
    case absent
  }

  private struct Fields: Sendable {
    var url: URL
    var kind: Kind
    var expectedLength: Int64
    var part: ResourcePart?
    var sniffedType: String?
  }

  private var fields: Boxed<Fields>

  package var url: URL { fields.value.url }

  package var kind: Kind {
    get { fields.value.kind }
    set { fields.value.kind = newValue }
  }

  /// The announced length of the body in bytes; -1 if unknown, and if the loader removes a content coding.
  package var expectedLength: Int64 {
    get { fields.value.expectedLength }
    set { fields.value.expectedLength = newValue }
  }

  /// The part of its resource that the body is, for schemes without header fields that say so; nil for HTTP.
  package var part: ResourcePart? {
    get { fields.value.part }
    set { fields.value.part = newValue }
  }

  /// The MIME type found in the body's first bytes, for an HTTP response whose header fields name none; nil if none was found.
  package var sniffedType: String? {
    get { fields.value.sniffedType }
    set { fields.value.sniffedType = newValue }
  }

  package init(url: URL, kind: Kind, expectedLength: Int64) {
    fields = Boxed(Fields(url: url, kind: kind, expectedLength: expectedLength))
  }

  // Not inlined, so that async functions that call it reserve no room for a copy of the head.

  /// The HTTP status, read without a copy of the head; nil for other responses.
  @inline(never)
  package var status: Int? {
    if case .http(let head) = fields.value.kind { head.status } else { nil }
  }

  @inline(never)
  package func hasField(_ name: String) -> Bool {
    if case .http(let head) = fields.value.kind { head.headers.contains(name) } else { false }
  }

  package var isAbsent: Bool {
    if case .absent = fields.value.kind { true } else { false }
  }

  package var httpHead: ResponseHead? {
    if case .http(let head) = fields.value.kind { head } else { nil }
  }
}

/// Which part of its resource a body is, for schemes other than HTTP, whose header fields say so.
package final class ResourcePart: Sendable {
  // A class, because it is rare: a response without one has only a null pointer.
  /// The number of bytes of the resource before the body's first byte.
  package let offset: Int64
  /// The size of the whole resource in bytes; nil if unknown.
  package let total: Int64?
  /// An entity tag of the resource's version, in HTTP's form with its quotation marks. A request may send it back in `If-Range`.
  package let tag: String

  package init(offset: Int64, total: Int64?, tag: String) {
    self.offset = offset
    self.total = total
    self.tag = tag
  }
}
