import LoadingModel

/// The fields that every HPACK peer knows (RFC 7541, appendix A). Indices begin at 1.
enum HPACKStaticTable {
  static let count = fields.count

  static let fields: [HPACKField] = entries.map { HPACKField(name: $0.0, value: $0.1) }

  /// The index of a field called `name`; nil if there is none.
  static func index(of name: String) -> Int? {
    for (offset, entry) in entries.enumerated() where entry.0.isSameField(name) { return offset + 1 }
    return nil
  }

  static let authority = 1
  static let get = 2
  static let post = 3
  /// ":path" with the value "/".
  static let root = 4
  static let http = 6
  static let https = 7

  private static let entries: [(String, String)] = [
    (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"), (":path", "/index.html"), (":scheme", "http"),
    (":scheme", "https"), (":status", "200"), (":status", "204"), (":status", "206"), (":status", "304"), (":status", "400"),
    (":status", "404"), (":status", "500"), ("accept-charset", ""), ("accept-encoding", "gzip, deflate"), ("accept-language", ""),
    ("accept-ranges", ""), ("accept", ""), ("access-control-allow-origin", ""), ("age", ""), ("allow", ""), ("authorization", ""),
    ("cache-control", ""), ("content-disposition", ""), ("content-encoding", ""), ("content-language", ""), ("content-length", ""),
    ("content-location", ""), ("content-range", ""), ("content-type", ""), ("cookie", ""), ("date", ""), ("etag", ""), ("expect", ""),
    ("expires", ""), ("from", ""), ("host", ""), ("if-match", ""), ("if-modified-since", ""), ("if-none-match", ""), ("if-range", ""),
    ("if-unmodified-since", ""), ("last-modified", ""), ("link", ""), ("location", ""), ("max-forwards", ""),
    ("proxy-authenticate", ""), ("proxy-authorization", ""), ("range", ""), ("referer", ""), ("refresh", ""), ("retry-after", ""),
    ("server", ""), ("set-cookie", ""), ("strict-transport-security", ""), ("transfer-encoding", ""), ("user-agent", ""), ("vary", ""),
    ("via", ""), ("www-authenticate", ""),
  ]
}
