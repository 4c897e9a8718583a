import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules
import Stores

/// The effect of a response from the network on the store: it is stored, or it updates or removes what is stored.
struct StoringTransaction {
  let transaction: CacheTransaction
  /// The response that was found in the store for the request; nil if none was found, or none was looked for.
  let found: StoredResponse?

  private var store: any ResponseStore { transaction.store }
  private var request: LoadRequest { transaction.request }

  /// `loaded`, with a body that is stored while it is read if the response may be stored. An error abandons the body of `loaded`.
  func keep(_ loaded: Loaded) async throws(LoadError) -> Loaded {
    do throws(LoadError) {
      return try await keeping(loaded)
    } catch {
      // The load was interrupted while it waited for the disk; no other stage has the response, so its body is abandoned here.
      loaded.body.abandon()
      throw error
    }
  }

  private func keeping(_ loaded: Loaded) async throws(LoadError) -> Loaded {
    guard let head = loaded.response.httpHead else { return loaded }
    switch request.method {
    case "GET":
      if let kept = try keepGET(loaded, head) { return kept }
      try await removeOutdated()
      return try unstored(loaded)
    case "HEAD": try await applyHEAD(head)
    default:
      // A response of a server that only the app accepts, against the evaluation, doesn't remove what others have stored.
      guard !transaction.isTrustOverridden else { return loaded }
      for target in InvalidationRules.outdated(by: head, request: request) where store.mayHaveToRemove(target) {
        store.removeAll(url: CacheKey.url(target))
      }
    }
    return loaded
  }

  /// The same for the response to a GET, without waiting. nil if it isn't stored and the stored responses for its URL must be removed, which
  /// `keep` does.
  func keepGET(_ loaded: Loaded, _ head: ResponseHead) throws(LoadError) -> Loaded? {
    guard head.status != 304 else { return loaded }
    guard !transaction.isTrustOverridden else { return try unstored(loaded) }
    let capacity = store.capacity
    // A body that is written into a file of the app isn't stored a second time.
    guard capacity > 0, transaction.next.client.download == nil else { return try unstored(loaded) }
    guard case .none = request.body else { return try unstored(loaded) }
    lazy var now = transaction.session.clock.date
    let length: Int64? =
      switch loaded.framing {
      case .length(let length): length
      case .none: 0
      case .chunked, .untilClose: nil
      }
    guard StorageRules.decide(request: request, head: head, bodyLength: length, capacity: capacity, receivedAt: now).isStorable else {
      return StoringTransaction.supersedes(head.status) && mayHoldOutdated ? nil : try unstored(loaded)
    }
    let varies = head.headers.contains("Vary")
    if varies, transaction.variesUnseen(head) { return try unstored(loaded) }
    let response = StoredResponse(
      url: CacheKey.url(transaction.target), head: StoredFieldRules.storable(head, receivedAt: now),
      requestFields: varies ? VaryRules.nominated(head, in: transaction.fieldsAsSent) : HeaderFields(),
      requestTime: transaction.requestTime(now),
      responseTime: now)
    guard let writer = store.beginStoring(response, expectedLength: length) else { return nil }
    var kept = loaded
    kept.body = StoringBody(
      loaded.body, response, writer, store, limit: StorageRules.largestBody(capacity: capacity), review: review(head),
      ending: transaction.next.client.readsForStoreAlone ? .withTheStoring : .withTheBody, client: transaction.next.client,
      context: transaction.context)
    return kept
  }

  /// `loaded` unchanged. A load that only fills the store ends here with an error, because its body has no other reader.
  private func unstored(_ loaded: Loaded) throws(LoadError) -> Loaded {
    guard transaction.next.client.readsForStoreAlone else { return loaded }
    loaded.body.abandon()
    throw .cancelled()
  }

  /// The app's review of the response; nil if it reviews none. Redirects aren't reviewed, since the app doesn't get their bodies either.
  private func review(_ head: ResponseHead) -> CacheReview? {
    guard let client = transaction.next.client.cachingReview, !(300..<400).contains(head.status), let url = request.url else { return nil }
    return CacheReview(client: client, url: url, decodedLimit: Int(clamping: max(store.capacity, 1 << 20)))
  }

  /// Whether a response with this status, although it isn't stored itself, shows that the stored ones are outdated.
  private static func supersedes(_ status: Int) -> Bool {
    switch status {
    case 200, 203, 204, 301, 308, 404, 410: true
    default: false
    }
  }

  private var mayHoldOutdated: Bool { found != nil || !store.holdsNothing(for: transaction.target) }

  private func removeOutdated() async throws(LoadError) {
    if let found { return store.remove(found) }
    if let stored = try await transaction.find() { store.remove(stored) }
  }

  /// Updates or removes the stored response after a HEAD (RFC 9111, 4.3.5).
  private func applyHEAD(_ head: ResponseHead) async throws(LoadError) {
    guard !transaction.isTrustOverridden else { return }
    var stored = found
    if stored == nil { stored = try await transaction.find() }
    guard let stored else { return }
    switch InvalidationRules.decide(head: head, stored: stored.facts) {
    case .keep: break
    case .remove: store.remove(stored)
    case .update:
      let now = transaction.session.clock.date
      let updated = StoredFieldRules.updated(stored.head, by: head, receivedAt: now)
      switch transaction.decision(on: stored, updated: updated) {
      case .update: store.update(stored, head: updated, requestTime: transaction.requestTime(now), responseTime: now)
      // There is no body with which the response could be stored anew.
      case .storeAnew, .remove: store.remove(stored)
      case .keep: break
      }
    }
  }
}
