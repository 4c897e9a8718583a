#if Inspector
  import Foundation
  import LoadingModel

  extension RecordedTransfer {
    /// What HTTP/2 and 3 send in other ways (RFC 9113, 8.2.2 and 8.3.1).
    private static let replaced: Set<String> = ["connection", "host", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"]

    /// The request's fields as its connection's protocol has them: those of HTTP/2 and 3 begin with the request line's parts, and have names in
    /// lower case.
    var sentFields: HeaderFields {
      let name = connection?.value.protocolName
      guard name == "h2" || name == "h3", source == "network", request.fields.first(":method") == nil,
        let parts = URLComponents(string: request.url)
      else { return request.fields }
      var fields = HeaderFields()
      let isWebSocket = origin.kind == "webSocket"
      fields.add(":method", isWebSocket ? "CONNECT" : request.method)
      // RFC 8441, 4.
      if isWebSocket { fields.add(":protocol", "websocket") }
      fields.add(":scheme", isWebSocket ? "https" : parts.scheme ?? "https")
      fields.add(":authority", (parts.percentEncodedHost ?? "") + (parts.port.map { ":\($0)" } ?? ""))
      let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
      fields.add(":path", path + (parts.percentEncodedQuery.map { "?\($0)" } ?? ""))
      for (name, value) in request.fields.entries {
        let lowercased = name.lowercased()
        if !RecordedTransfer.replaced.contains(lowercased) { fields.add(lowercased, value) }
      }
      return fields
    }
  }
#endif
