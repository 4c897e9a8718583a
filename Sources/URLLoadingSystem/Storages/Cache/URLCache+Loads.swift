import Foundation
import HTTPTransport
import LoadingEngine
import Stores

/// How loads reach a `URLCache`: straight to its store, or, if it is a subclass, through the methods that the app may have overridden.
struct URLCacheAccess: CacheAccess {
  private enum Way {
    case store(any ResponseStore)
    /// A subclass, and its capacity when the session was made: the capacity properties are the app's code, which the event loop must not run.
    case methods(URLCache, capacity: Int64)
  }

  private let way: Way

  init(_ cache: URLCache) {
    if type(of: cache) == URLCache.self {
      way = .store(cache.store)
    } else {
      way = .methods(cache, capacity: Int64(max(cache.memoryCapacity, cache.diskCapacity)))
    }
  }

  func store(for client: any LoadClient, _ context: LoadContext) -> (any ResponseStore)? {
    switch way {
    case .store(let store): store
    case .methods(let cache, let capacity): (client as? TaskLoad).flatMap { AppResponseStore(cache, capacity: capacity, $0) }
    }
  }

  var servesLoadsWithoutTask: Bool {
    switch way {
    case .store: true
    case .methods: false
    }
  }
}
