/// What has changed about the machine's networks.
package enum NetworkNews: Sendable, Hashable {
  /// Routes, or something that can't be told from them.
  case ways
  /// There are other addresses than before; those that are `lost` are nobody's on this machine any more.
  case addresses(lost: Set<String>)

  /// From the addresses of all the interfaces that are up, before and now.
  package init(_ before: Set<String>, now: Set<String>) {
    self = before == now ? .ways : .addresses(lost: before.subtracting(now))
  }
}
