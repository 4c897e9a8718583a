import Foundation
import HTTPTransport
import LoadingEngine
import Stores

/// How loads reach a `URLCache`: straight to its store, or, if it is a subclass, through the methods that the app may have overridden.
struct URLCacheAccess: CacheAccess {
  private enum Way {
    case store(any ResponseStore)
    case methods(URLCache)
  }

  private let way: Way

  init(_ cache: URLCache) {
    way = type(of: cache) == URLCache.self ? .store(cache.store) : .methods(cache)
  }

  func store(for client: any LoadClient, _ context: LoadContext) -> (any ResponseStore)? {
    switch way {
    case .store(let store): store
    case .methods(let cache): (client as? TaskLoad).flatMap { AppResponseStore(cache, $0) }
    }
  }

  var servesLoadsWithoutTask: Bool {
    switch way {
    case .store: true
    case .methods: false
    }
  }
}
