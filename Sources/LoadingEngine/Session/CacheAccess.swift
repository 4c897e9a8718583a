import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules
import Stores

/// Gives the loads of a session access to their cache.
///
/// For `URLCache` itself that is its store, which answers from memory where possible. A subclass of the app's is asked through its own methods,
/// for which the load's task is needed.
package protocol CacheAccess: Sendable {
  /// The store that the load of `client` uses; nil if that load has no cache.
  func store(for client: any LoadClient, _ context: LoadContext) -> (any ResponseStore)?
  /// Whether a load without a task can use the store: such a load validates a stale response while the app is given it.
  var servesLoadsWithoutTask: Bool { get }
}

extension StoredResponse {
  /// The facts about the response that the caching rules use.
  package var facts: StoredFacts {
    StoredFacts(
      head: head, requestFields: requestFields, requestTime: requestTime, responseTime: responseTime, bodyLength: bodyLength,
      slot: reading)
  }
}
