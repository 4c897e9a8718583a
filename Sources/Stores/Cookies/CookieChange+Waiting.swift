import ProtocolRules

extension [CookieChange] {
  /// Changes kept for a disk that takes none.
  private static let waitingLimit = 16_384

  /// The changes that the disk refused, in front of those made meanwhile; of several values for one cookie the last.
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
