import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules
import Stores

/// How the loads of a session reach their cache.
///
/// The base class's way is its store itself, in memory where possible. An app's subclass is asked through its own methods, which takes the
/// load's task to do.
package protocol CacheAccess: Sendable {
  /// The store as the load of `client` is to use it; nil if that load has no cache.
  func store(for client: any LoadClient, _ context: LoadContext) -> (any ResponseStore)?
  /// Whether a load without a task can use the store: the validation of a response that is being used meanwhile.
  var servesLoadsWithoutTask: Bool { get }
}

extension StoredResponse {
  /// What the rules look at.
  package var facts: StoredFacts {
    StoredFacts(
      head: head, requestFields: requestFields, requestTime: requestTime, responseTime: responseTime, bodyLength: bodyLength,
      slot: reading)
  }
}
