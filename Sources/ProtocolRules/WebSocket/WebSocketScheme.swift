/// The URL schemes of WebSockets.
package enum WebSocketScheme {
  /// The scheme with which a WebSocket task loads its URL, by the URL's own scheme in lower case: the app may write HTTP's.
  package static let ofTask = [
    "ws": "ws", "wss": "wss", "http": "ws", "https": "wss", "ws+unix": "ws+unix", "wss+unix": "wss+unix", "http+unix": "ws+unix",
    "https+unix": "wss+unix",
  ]
}
