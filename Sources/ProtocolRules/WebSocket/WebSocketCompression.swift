import LoadingModel

/// permessage-deflate as both sides agreed on it (RFC 7692, 7.1).
package struct WebSocketCompression: Sendable, Hashable {
  /// The server begins each message with an empty window.
  package var serverForgets = false
  /// So does the client.
  package var clientForgets = false
  /// Base-2 logarithm of the windows' size.
  package var serverWindowBits = 15
  package var clientWindowBits = 15

  package init() {}

  /// What the client offers: everything that it can do, without asking the server for anything.
  package static let offer = "permessage-deflate; client_max_window_bits"

  /// What the server made of the offer.
  /// - Parameter parameters: What follows "permessage-deflate;", by name; the value is nil where there is none.
  /// - Returns: nil if the answer is none to this offer (7.1: "the client MUST _Fail the WebSocket Connection_").
  init?(answer parameters: [(name: String, value: String?)]) {
    var seen: Set<String> = []
    for (name, value) in parameters {
      guard seen.insert(name).inserted else { return nil }
      switch (name, value) {
      case ("server_no_context_takeover", nil): serverForgets = true
      case ("client_no_context_takeover", nil): clientForgets = true
      case ("server_max_window_bits", let value?):
        guard let bits = WebSocketCompression.windowBits(value) else { return nil }
        serverWindowBits = bits
      case ("client_max_window_bits", let value?):
        guard let bits = WebSocketCompression.windowBits(value) else { return nil }
        clientWindowBits = bits
      default: return nil
      }
    }
  }

  /// 7.1.2.1: "a decimal integer value without leading zeroes between 8 to 15, inclusive".
  private static func windowBits(_ text: String) -> Int? {
    guard let bits = Int(text), (8...15).contains(bits), String(bits) == text else { return nil }
    return bits
  }
}
