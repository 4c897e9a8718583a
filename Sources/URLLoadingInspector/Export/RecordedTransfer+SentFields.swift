#if Inspector
  import Foundation
  import LoadingModel

  extension RecordedTransfer {
    /// The names of fields that HTTP/2 and HTTP/3 don't send: connection-specific fields (RFC 9113, 8.2.2), and `Host`, which `:authority` replaces
    /// (8.3.1).
    private static let replaced: Set<String> = ["connection", "host", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"]

    /// The request's fields as they were sent: over HTTP/2 and HTTP/3 pseudo-header fields come first, and names are in lower case. Over HTTP/1 they
    /// are the recorded fields.
    var sentFields: HeaderFields {
      let name = connection?.value.protocolName
      guard name == "h2" || name == "h3", source == "network", request.fields.first(":method") == nil,
        let parts = URLComponents(string: request.url)
      else { return request.fields }
      var fields = HeaderFields()
      let isWebSocket = origin.kind == "webSocket"
      fields.add(":method", isWebSocket ? "CONNECT" : request.method)
      // A WebSocket over HTTP/2 or HTTP/3 is opened by extended CONNECT (RFC 8441, 4).
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
