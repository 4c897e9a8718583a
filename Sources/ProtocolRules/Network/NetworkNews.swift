/// A change of the machine's networks.
package enum NetworkNews: Sendable, Hashable {
  /// The same addresses as before: routes have changed, or something that the kernel's message doesn't tell from routes.
  case ways
  /// The addresses have changed; `lost` are those that the machine no longer has. `isLinkLocal`: only link-local ones, which come and go with
  /// every virtual interface and change no route.
  case addresses(lost: Set<String>, isLinkLocal: Bool = false)

  /// Compares the addresses of all interfaces that are up, before and now.
  package init(_ before: Set<String>, now: Set<String>) {
    guard before != now else {
      self = .ways
      return
    }
    let isLinkLocal = before.symmetricDifference(now).allSatisfy { $0.hasPrefix("fe80:") || $0.hasPrefix("169.254.") }
    self = .addresses(lost: before.subtracting(now), isLinkLocal: isLinkLocal)
  }
}
