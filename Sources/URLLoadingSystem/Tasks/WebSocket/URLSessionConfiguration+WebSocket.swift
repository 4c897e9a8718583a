extension URLSessionConfiguration {
  /// Whether WebSocket tasks ask for compression (permessage-deflate, RFC 7692). Default: `.none`.
  ///
  /// An addition: Apple's class has no switch for it, and what its releases ask for isn't documented. The server decides. Messages under
  /// 1 KiB are sent as they are. A WebSocket that compresses holds some 300 KiB more memory. Leave it off where messages mix secrets with
  /// text of others: the size of what is sent then says something about the secret.
  public final var webSocketCompression: WebSocketCompression {
    get { values.withLock { $0.webSocketCompression } }
    set { values.change { $0.webSocketCompression = newValue } }
  }

  /// Whether compression is asked for.
  public enum WebSocketCompression: Sendable {
    /// permessage-deflate is offered in the handshake, and used if the server agrees.
    case offered
    /// permessage-deflate isn't offered, so it is never used.
    case none
  }
}
