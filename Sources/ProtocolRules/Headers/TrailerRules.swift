import LoadingModel

/// Which fields may be in a trailer section, after a body (RFC 9110, 6.5).
package enum TrailerRules {
  /// Fields for framing, routing, authentication, caching and content format, which a recipient needs before the body (RFC 9110, 6.5.1).
  private static let forbidden: Set<String> = [
    "accept-encoding", "age", "authorization", "cache-control", "connection", "content-encoding", "content-length", "content-range",
    "content-type", "cookie", "date", "expect", "expires", "host", "if-match", "if-modified-since", "if-none-match", "if-range",
    "if-unmodified-since", "keep-alive", "location", "max-forwards", "pragma", "proxy-authenticate", "proxy-authorization",
    "proxy-connection", "range", "retry-after", "set-cookie", "set-cookie2", "te", "trailer", "transfer-encoding", "upgrade", "vary",
    "warning", "www-authenticate",
  ]

  /// The most trailer fields of one request.
  private static let fieldLimit = 1000

  /// Whether a field may be a trailer.
  package static func allows(_ name: String) -> Bool { !forbidden.contains(name.lowercased()) }

  /// The fields of a received trailer section that may be trailers; nil if there are none.
  ///
  /// RFC 9110, 6.5.1: "a recipient MAY … discard trailer fields", and must not merge fields into the head that aren't known to be safe there.
  package static func kept(_ received: [HeaderFields.Entry]) -> HeaderFields? {
    guard !received.isEmpty else { return nil }
    let entries = received.filter { allows($0.name) }
    return entries.isEmpty ? nil : HeaderFields(entries)
  }

  /// Refuses fields that can't be sent as trailers. The error names the field, never its value.
  package static func check(_ fields: HeaderFields) throws(LoadError) {
    guard fields.count <= fieldLimit else {
      throw LoadError(.requestBodyStreamExhausted, .send, "more than \(fieldLimit) fields can't be sent behind the body")
    }
    for (name, value) in fields.entries {
      try FieldSyntaxRules.checkField(name: name, value: value)
      guard allows(name) else {
        throw LoadError(
          .requestBodyStreamExhausted, .send,
          "\(name) can't be sent behind the body (RFC 9110, 6.5.1): set it in the request's head, or leave it out")
      }
    }
  }

  /// Parses a field line of a trailer section in HTTP/1.1; nil if it isn't well-formed.
  static func field(_ line: UnsafeRawBufferPointer) -> HeaderFields.Entry? {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return nil }
    let name = line[..<colon]
    guard name.allSatisfy(FieldSyntaxRules.isTokenByte) else { return nil }
    var value = line[(colon + 1)...]
    while let first = value.first, first == 0x20 || first == 0x09 { value = value.dropFirst() }
    while let last = value.last, last == 0x20 || last == 0x09 { value = value.dropLast() }
    return (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
  }
}
