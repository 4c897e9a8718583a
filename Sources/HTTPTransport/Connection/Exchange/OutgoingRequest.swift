import LoadingModel

/// The content of a request's head. The header rules have checked the fields.
package struct OutgoingRequest {
  package let method: String
  /// The request target in origin-form: path and query (RFC 9112, 3.2.1). For a forwarding proxy, absolute-form.
  package let target: String
  package let headers: HeaderFields
  /// The body travels in chunks (RFC 9112, 7.1).
  package let isChunked: Bool
  /// The app asked for the connection to be closed after the response.
  package let closesAfter: Bool
  /// The `:protocol` of an extended CONNECT, such as "websocket" (RFC 8441, 4); nil for other requests. Requires `allowsExtendedConnect`.
  package var connectProtocol: String?
  /// Whether other requests may be sent on the connection before this one is answered (HTTP/1.1 pipelining).
  package var isPipelined = false

  package init(method: String, target: String, headers: HeaderFields, isChunked: Bool, closesAfter: Bool) {
    self.method = method
    self.target = target
    self.headers = headers
    self.isChunked = isChunked
    self.closesAfter = closesAfter
  }
}
