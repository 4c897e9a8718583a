import LoadingModel

/// A content coding (RFC 9110, 8.4.1; Brotli: RFC 7932; Zstandard: RFC 8878).
package enum ContentCoding: Sendable, Hashable {
  case gzip, deflate, br, zstd, identity

  /// nil for an unknown name. Names are compared case-insensitively (RFC 9110, 8.4.1); "x-gzip" counts as gzip (8.4.1.3).
  package init?(name: String) {
    if name.isField("gzip") || name.isField("x-gzip") {
      self = .gzip
    } else if name.isField("deflate") {
      self = .deflate
    } else if name.isField("br") {
      self = .br
    } else if name.isField("zstd") {
      self = .zstd
    } else if name.isField("identity") {
      self = .identity
    } else {
      return nil
    }
  }

  fileprivate var decoder: ContentDecoders {
    switch self {
    case .gzip: .gzip
    case .deflate: .deflate
    case .br: .brotli
    case .zstd: .zstd
    case .identity: []
    }
  }
}

/// The parsed value of `Content-Encoding`.
package enum ContentCodingList: Sendable, Hashable {
  /// The codings in the order in which the server applied them.
  case known([ContentCoding])
  /// At least one coding is unknown, or there are more than `maximumCodings`.
  case unsupported
}

/// What happens to a response's body before the app gets it.
package enum DecodingDecision: Sendable, Hashable {
  case passThrough
  /// Decode these codings in this order, the last applied first. Never empty, never holds `identity`.
  case decode([ContentCoding])
}

/// Which content codings of a response are decoded, and which length the app is told. The header fields reach the app as received:
/// `Content-Encoding` stays visible, as on Apple's platforms.
package enum ContentCodingRules {
  /// The most codings of one response. Each one multiplies the size to which a few bytes can grow when they are decoded.
  package static let maximumCodings = 4

  /// Reads every `Content-Encoding` field as one list; empty elements don't count (RFC 9110, 5.6.1.2).
  package static func parse(_ headers: HeaderFields) -> ContentCodingList {
    var codings: [ContentCoding] = []
    for (name, value) in headers.entries where name.isField("content-encoding") {
      for name in FieldCursor.tokens(of: value) {
        guard let coding = ContentCoding(name: name), codings.count < maximumCodings else { return .unsupported }
        codings.append(coding)
      }
    }
    return .known(codings)
  }

  /// Whether to decode the body. This doesn't depend on whether the app set `Accept-Encoding` itself, as on Apple's platforms.
  ///
  /// A body with an unknown coding, or one without a decoder here, isn't decoded: the app can read `Content-Encoding`, and may know the coding.
  /// Nor is a 206, whose bytes are a piece of the encoded form (RFC 9110, 14.2) that can't be decoded alone.
  package static func decide(head: ResponseHead, framing: ResponseBodyFraming, decoders: ContentDecoders) -> DecodingDecision {
    guard framing != .none, framing != .length(0), head.status != 206 else { return .passThrough }
    guard case .known(let codings) = parse(head.headers) else { return .passThrough }
    let applied = codings.filter { $0 != .identity }
    guard !applied.isEmpty, applied.allSatisfy({ decoders.contains($0.decoder) }) else { return .passThrough }
    return .decode(applied.reversed())
  }

  /// The response's `expectedContentLength` in bytes: the announced length, or -1 if there is none or the body is decoded.
  ///
  /// A response without a body keeps the length it announces: in an answer to HEAD, that of the body that GET would deliver (RFC 9110, 8.6).
  package static func expectedLength(head: ResponseHead, framing: ResponseBodyFraming, decision: DecodingDecision) -> Int64 {
    if case .decode = decision { return -1 }
    switch framing {
    case .length(let length): return length
    case .chunked, .untilClose: return -1
    case .none: return head.headers.first("Content-Length").flatMap { FieldSyntaxRules.decimal($0.trimmingSpaces().utf8) } ?? -1
    }
  }
}
