import LoadingModel

/// The capitalisation in which Apple's systems show well-known header names, however the peer has written them (HTTP/2 sends lower case).
///
/// Names that aren't in the table keep the spelling in which they were received.
enum HeaderSpelling {
  static func canonical(_ name: String) -> String { table[name.lowercased()] ?? name }

  private static let table: [String: String] = Dictionary(
    names.split(whereSeparator: \.isWhitespace).map { ($0.lowercased(), String($0)) }, uniquingKeysWith: { first, _ in first })

  // "Etag", "Te" and the like are Apple's spelling: code reads them from `allHeaderFields` with exactly these letters.
  private static let names = """
    Accept Accept-Charset Accept-Encoding Accept-Language Accept-Ranges Access-Control-Allow-Credentials
    Access-Control-Allow-Headers Access-Control-Allow-Methods Access-Control-Allow-Origin Access-Control-Expose-Headers
    Access-Control-Max-Age Age Allow Alt-Svc Authorization Cache-Control Connection Content-Disposition Content-Encoding
    Content-Language Content-Length Content-Location Content-Md5 Content-Range Content-Security-Policy Content-Type Cookie
    Cross-Origin-Opener-Policy Date Dnt Etag Expect Expires Forwarded From Host If-Match If-Modified-Since If-None-Match
    If-Range If-Unmodified-Since Keep-Alive Last-Modified Link Location Max-Forwards Mime-Version Nel Origin P3P Pragma
    Proxy-Authenticate Proxy-Authorization Proxy-Connection Public-Key-Pins Range Referer Refresh Report-To Retry-After Server
    Server-Timing Set-Cookie Status Strict-Transport-Security Te Timing-Allow-Origin Trailer Transfer-Encoding Upgrade
    User-Agent Vary Via WWW-Authenticate Warning
    """
}

extension HeaderFields {
  /// The fields by name in Apple's spelling; fields that repeat are joined with `separator` under the name that came first.
  func spelledDictionary(separator: String) -> [String: String] {
    var result: [String: String] = Dictionary(minimumCapacity: entries.count)
    var spellings: [String: String] = Dictionary(minimumCapacity: entries.count)
    for entry in entries {
      let folded = entry.name.lowercased()
      if let name = spellings[folded], let present = result[name] {
        result[name] = present + separator + entry.value
      } else {
        let name = HeaderSpelling.canonical(entry.name)
        spellings[folded] = name
        result[name] = entry.value
      }
    }
    return result
  }
}
