import ProtocolRules

extension [CookieChange] {
  /// Maximum number of changes that are kept while the disk refuses them.
  private static let waitingLimit = 16_384

  /// The refused changes followed by the later ones; of several new values of one cookie only the last, and of all changes the latest 16,384.
  func followed(by later: [CookieChange]) -> [CookieChange] {
    var seen: Set<CookieKey> = []
    var result: [CookieChange] = []
    for change in (self + later).reversed() {
      if case .put(let stored) = change, !seen.insert(stored.key).inserted { continue }
      result.append(change)
    }
    return result.prefix(Self.waitingLimit).reversed()
  }
}
