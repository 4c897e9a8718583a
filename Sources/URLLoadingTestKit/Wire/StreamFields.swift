#if TestKit
  import NIOHPACK

  /// A field section of HTTP/2 or HTTP/3 (RFC 9113, 8.1): the header fields of a response, or trailers.
  struct StreamFields: Sendable {
    /// The status of the response; nil for trailers.
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
