import LoadingModel

/// The client identities that the app has provided to one URL session, by origin. Confined to its event loop.
package final class ClientIdentityCache {
  private var identities = BoundedTable<Origin, ClientIdentity>(limit: limit)
  private var rejections = BoundedTable<Origin, Int>(limit: limit)
  /// The most origins that are kept.
  private static let limit = 256

  package init() {}

  func identity(for origin: Origin) -> ClientIdentity? { identities.use(origin) }

  /// The number of times that the server has rejected client certificates since it last accepted one.
  func rejections(by origin: Origin) -> Int { rejections[origin] ?? 0 }

  func keep(_ identity: ClientIdentity, for origin: Origin) {
    identities[origin] = identity
  }

  func rejected(by origin: Origin) {
    identities[origin] = nil
    rejections[origin] = (rejections[origin] ?? 0) + 1
  }

  func accepted(by origin: Origin) {
    if !rejections.isEmpty { rejections[origin] = nil }
  }

  package func removeAll() {
    identities.removeAll()
    rejections.removeAll()
  }
}
