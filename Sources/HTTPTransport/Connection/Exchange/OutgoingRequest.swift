import LoadingModel

/// What a request's head says. The fields have been checked by the header rules.
package struct OutgoingRequest {
  package let method: String
  /// Origin-form (RFC 9112, 3.2.1).
  package let target: String
  package let headers: HeaderFields
  /// The body travels in chunks (RFC 9112, 7.1).
  package let isChunked: Bool
  /// The app asked for the connection to be closed after the response.
  package let closesAfter: Bool
  /// What an extended CONNECT asks for, such as "websocket" (RFC 8441, 4). Only on connections that allow it.
  package var connectProtocol: String?
  /// Others may follow before it is answered.
  package var isPipelined = false

  package init(method: String, target: String, headers: HeaderFields, isChunked: Bool, closesAfter: Bool) {
    self.method = method
    self.target = target
    self.headers = headers
    self.isChunked = isChunked
    self.closesAfter = closesAfter
  }
}
