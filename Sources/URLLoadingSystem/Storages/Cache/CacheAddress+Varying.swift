import LoadingModel
import ProtocolRules

/// Which request fields named by `Vary` tell responses apart that the app stores itself.
extension CacheAddress {
  private static let filledIn = ["accept", "accept-encoding", "accept-language", "user-agent", "cookie", "authorization"]

  static func isFilledIn(_ name: String) -> Bool { filledIn.contains { $0.equalsIgnoringCase(name) } }

  /// Removes from `Vary` the fields that a session fills in and the app's request leaves out: their values weren't known when the app stored the
  /// response.
  func narrowVary(_ head: inout ResponseHead) {
    guard let names = VaryRules.names(head), !names.isEmpty else { return }
    let kept = names.filter { !CacheAddress.isFilledIn($0) || request.load.headers.contains($0) }
    if kept.isEmpty { head.headers.remove("Vary") } else { head.headers.set("Vary", kept.joined(separator: ", ")) }
  }
}
