/// Which requests may be sent as early data, before the server's handshake is over (RFC 8470). Pure functions.
enum EarlyDataRules {
  private static let methods: Set<String> = ["GET", "HEAD", "OPTIONS"]

  /// Whether `request` may be early data. Only safe methods without a body: an attacker can replay early data (RFC 8470, 2.3).
  static func allow(_ request: OutgoingRequest, hasBody: Bool) -> Bool {
    !hasBody && request.connectProtocol == nil && methods.contains(request.method)
  }
}
