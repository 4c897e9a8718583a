import LoadingModel
import ProtocolRules

/// Vary, where the app stores responses: by which fields of a request they are told apart.
extension CacheAddress {
  private static let filledIn = ["accept", "accept-encoding", "accept-language", "user-agent", "cookie", "authorization"]

  static func isFilledIn(_ name: String) -> Bool { filledIn.contains { $0.equalsIgnoringCase(name) } }

  /// Fields that a session fills in, and the app's request leaves out, can't tell variants apart: they weren't known when the response was stored.
  func narrowVary(_ head: inout ResponseHead) {
    guard let names = VaryRules.names(head), !names.isEmpty else { return }
    let kept = names.filter { !CacheAddress.isFilledIn($0) || request.load.headers.contains($0) }
    if kept.isEmpty { head.headers.remove("Vary") } else { head.headers.set("Vary", kept.joined(separator: ", ")) }
  }
}
