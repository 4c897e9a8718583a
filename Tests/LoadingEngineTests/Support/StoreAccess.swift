import HTTPTransport
import LoadingEngine
import Stores

/// A cache that is its store, for every load; without a store no load has a cache.
struct StoreAccess: CacheAccess {
  let store: (any ResponseStore)?
  var servesLoadsWithoutTask = true

  init(_ store: (any ResponseStore)?) { self.store = store }

  func store(for client: any LoadClient, _ context: LoadContext) -> (any ResponseStore)? { store }
}
