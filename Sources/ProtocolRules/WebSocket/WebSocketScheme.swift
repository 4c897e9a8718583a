/// Schemes of WebSockets.
package enum WebSocketScheme {
  /// What a WebSocket task's URL of a scheme, in lower case, is loaded with: one that spells it as HTTP does is renamed.
  package static let ofTask = [
    "ws": "ws", "wss": "wss", "http": "ws", "https": "wss", "ws+unix": "ws+unix", "wss+unix": "wss+unix", "http+unix": "ws+unix",
    "https+unix": "wss+unix",
  ]
}
