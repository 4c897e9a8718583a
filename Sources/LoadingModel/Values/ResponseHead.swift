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
///
/// A value as wide as a pointer, as `LoadError` is and for the same reason.
package struct LoadResponse: Sendable {
  package enum Kind: Sendable {
    /// HTTP: becomes an `HTTPURLResponse`.
    case http(ResponseHead)
    /// Anything else: becomes a plain `URLResponse`.
    case plain(mimeType: String?, textEncoding: String?)
    /// Already an object of the public layer, from an app's own protocol class.
    case native(any AnyObject & Sendable)
    /// There is none: an app's own protocol class has ended its load without a response. The app is told of none.
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

  /// Body length in bytes as announced; -1 if unknown. -1 as well where the loader removes a content coding.
  package var expectedLength: Int64 {
    get { fields.value.expectedLength }
    set { fields.value.expectedLength = newValue }
  }

  /// Which part of its resource the body is, where the scheme has no header fields to say so.
  package var part: ResourcePart? {
    get { fields.value.part }
    set { fields.value.part = newValue }
  }

  /// The type that the body's first bytes tell, of an HTTP response whose header fields name none; nil where nothing was found.
  package var sniffedType: String? {
    get { fields.value.sniffedType }
    set { fields.value.sniffedType = newValue }
  }

  package init(url: URL, kind: Kind, expectedLength: Int64) {
    fields = Boxed(Fields(url: url, kind: kind, expectedLength: expectedLength))
  }

  // Not inlined, so that functions which wait have no room for copies of the head.

  /// The HTTP status, without a copy of the head.
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

/// A body's place in its resource, for schemes other than HTTP: there the header fields say it.
package final class ResourcePart: Sendable {
  // A class, because it is rare: a response without one carries a null pointer.
  /// Bytes of the resource before the body's first.
  package let offset: Int64
  /// Bytes of the whole resource; nil if unknown.
  package let total: Int64?
  /// What tells this version of the resource from others: an entity tag as in HTTP, with its quotation marks. Heeded in `If-Range`.
  package let tag: String

  package init(offset: Int64, total: Int64?, tag: String) {
    self.offset = offset
    self.total = total
    self.tag = tag
  }
}
