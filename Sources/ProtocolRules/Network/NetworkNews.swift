/// What has changed about the machine's networks.
package enum NetworkNews: Sendable, Hashable {
  /// Routes, or something that can't be told from them.
  case ways
  /// There are other addresses than before; the machine no longer has those that are `lost`. Link-local ones alone come and go with
  /// every virtual interface and change no route.
  case addresses(lost: Set<String>, isLinkLocal: Bool = false)

  /// From the addresses of all the interfaces that are up, before and now.
  package init(_ before: Set<String>, now: Set<String>) {
    guard before != now else {
      self = .ways
      return
    }
    let isLinkLocal = before.symmetricDifference(now).allSatisfy { $0.hasPrefix("fe80:") || $0.hasPrefix("169.254.") }
    self = .addresses(lost: before.subtracting(now), isLinkLocal: isLinkLocal)
  }
}
