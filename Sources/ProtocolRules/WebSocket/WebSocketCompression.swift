import LoadingModel

/// The parameters of permessage-deflate on which both sides have agreed (RFC 7692, 7.1).
package struct WebSocketCompression: Sendable, Hashable {
  /// Whether the server compresses each message with an empty window (`server_no_context_takeover`).
  package var serverForgets = false
  /// Whether the client compresses each message with an empty window (`client_no_context_takeover`).
  package var clientForgets = false
  /// Base-2 logarithm of the size in bytes of the server's window; `clientWindowBits` is that of the client's.
  package var serverWindowBits = 15
  package var clientWindowBits = 15

  package init() {}

  /// The client's offer: it lets the server choose every parameter, and demands none.
  package static let offer = "permessage-deflate; client_max_window_bits"

  /// Reads the server's answer to the offer.
  /// - Parameter parameters: The parameters after "permessage-deflate;"; a value is nil where there is none.
  /// - Returns: nil if the answer doesn't fit the offer (RFC 7692, 7.1: "the client MUST _Fail the WebSocket Connection_").
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

  /// Parses a window's size. RFC 7692, 7.1.2.1: "a decimal integer value without leading zeroes between 8 to 15, inclusive". nil for anything
  /// else.
  private static func windowBits(_ text: String) -> Int? {
    guard let bits = Int(text), (8...15).contains(bits), String(bits) == text else { return nil }
    return bits
  }
}
