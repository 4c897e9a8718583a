/// Which requests may be sent as early data, before the server's handshake is over (RFC 8470). Pure functions.
enum EarlyDataRules {
  private static let methods: Set<String> = ["GET", "HEAD", "OPTIONS"]

  /// RFC 8470, 2.3: a request that an attacker must not be able to repeat waits for the handshake, as does one with a body.
  static func allow(_ request: OutgoingRequest, hasBody: Bool) -> Bool {
    !hasBody && request.connectProtocol == nil && methods.contains(request.method)
  }
}
