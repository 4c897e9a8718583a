/// The header fields that the request rules ask for. A name is compared once and becomes a case, so that later questions are bit tests.
enum KnownField: UInt8 {
  case accept, acceptEncoding, acceptLanguage, authorization, connection, contentLength, contentType, cookie, host, keepAlive
  case proxyAuthenticate, proxyAuthorization, proxyConnection, range, te, trailer, transferEncoding, upgrade, userAgent, wwwAuthenticate
  case expect

  init?(_ name: String) {
    // The length rules out almost every other name before any comparison; most names that an app invents have none of these lengths.
    switch name.utf8.count {
    case 2: self.init(name, "te", .te)
    case 4: self.init(name, "host", .host)
    case 5: self.init(name, "range", .range)
    case 6:
      guard let field = KnownField(name, "accept", .accept, "cookie", .cookie) ?? KnownField(name, "expect", .expect) else { return nil }
      self = field
    case 7: self.init(name, "upgrade", .upgrade, "trailer", .trailer)
    case 10:
      guard let field = KnownField(name, "user-agent", .userAgent, "connection", .connection) ?? KnownField(name, "keep-alive", .keepAlive)
      else { return nil }
      self = field
    case 12: self.init(name, "content-type", .contentType)
    case 13: self.init(name, "authorization", .authorization)
    case 14: self.init(name, "content-length", .contentLength)
    case 15: self.init(name, "accept-encoding", .acceptEncoding, "accept-language", .acceptLanguage)
    case 16: self.init(name, "www-authenticate", .wwwAuthenticate, "proxy-connection", .proxyConnection)
    case 17: self.init(name, "transfer-encoding", .transferEncoding)
    case 18: self.init(name, "proxy-authenticate", .proxyAuthenticate)
    case 19: self.init(name, "proxy-authorization", .proxyAuthorization)
    default: return nil
    }
  }

  private init?(_ name: String, _ first: StaticString, _ field: KnownField, _ second: StaticString? = nil, _ other: KnownField? = nil) {
    if name.isField(first) {
      self = field
    } else if let second, let other, name.isField(second) {
      self = other
    } else {
      return nil
    }
  }

  /// Whether the loader writes this field itself or leaves it out, so that the app's value is never sent unchanged.
  ///
  /// Apple documents `Connection`, `Content-Length`, `Proxy-Authenticate`, `Proxy-Authorization` and `WWW-Authenticate` as reserved. RFC 9110,
  /// 7.6.1 adds the fields that belong to one connection. `Host` and `Authorization` are reserved too, yet sent in practice. Credentials for a
  /// proxy are the route's: in the request's own fields they would reach the origin server.
  var belongsToLoader: Bool {
    switch self {
    case .connection, .contentLength, .keepAlive, .proxyAuthenticate, .proxyAuthorization, .proxyConnection, .trailer, .transferEncoding,
      .upgrade, .wwwAuthenticate:
      true
    case .accept, .acceptEncoding, .acceptLanguage, .authorization, .contentType, .cookie, .expect, .host, .range, .te, .userAgent: false
    }
  }

  /// Whether this field holds the user's credentials for one origin and must not reach another.
  var isCredential: Bool {
    switch self {
    case .authorization, .cookie, .proxyAuthorization: true
    case .accept, .acceptEncoding, .acceptLanguage, .connection, .contentLength, .contentType, .expect, .host, .keepAlive,
      .proxyAuthenticate,
      .proxyConnection, .range, .te, .trailer, .transferEncoding, .upgrade, .userAgent, .wwwAuthenticate:
      false
    }
  }
}

/// A set of known fields, one bit each.
struct KnownFieldSet: Sendable {
  private var bits: UInt32 = 0

  func contains(_ field: KnownField) -> Bool { bits & (1 << UInt32(field.rawValue)) != 0 }
  mutating func insert(_ field: KnownField) { bits |= 1 << UInt32(field.rawValue) }
}

extension String {
  /// Whether this field name equals `lowercased`, which must be in lower case; letters are compared case-insensitively (RFC 9110, 5.1).
  ///
  /// Runs for every field of every message. It isn't generic, lies in this module, and compares contiguous memory, which is several times faster
  /// than walking two strings.
  func isField(_ lowercased: StaticString) -> Bool {
    guard utf8.count == lowercased.utf8CodeUnitCount else { return false }
    return lowercased.withUTF8Buffer { wanted in
      utf8.withContiguousStorageIfAvailable { equal($0, wanted) } ?? Array(utf8).withUnsafeBufferPointer { equal($0, wanted) }
    }
  }
}

/// Whether the bytes are equal but for upper case in `bytes`. Both have the same length; `wanted` is in lower case.
private func equal(_ bytes: UnsafeBufferPointer<UInt8>, _ wanted: UnsafeBufferPointer<UInt8>) -> Bool {
  for index in wanted.indices where bytes[index] != wanted[index] {
    guard bytes[index] >= 0x41, bytes[index] <= 0x5A, bytes[index] | 0x20 == wanted[index] else { return false }
  }
  return true
}
