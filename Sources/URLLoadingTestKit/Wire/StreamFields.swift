#if TestKit
  import NIOHPACK

  /// A field section of HTTP/2 (RFC 9113, 8.1).
  struct StreamFields: Sendable {
    /// nil for trailers.
    var status: Int?
    var fields = HeaderList()
    var endsStream = false

    var encoded: HPACKHeaders {
      var headers = HPACKHeaders()
      if let status { headers.add(name: ":status", value: String(status)) }
      for (name, value) in fields { headers.add(name: name.lowercased(), value: value) }
      return headers
    }
  }
#endif
