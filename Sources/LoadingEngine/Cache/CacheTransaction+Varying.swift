import HTTPTransport
import LoadingModel
import ProtocolRules
import Stores

// Which fields of the request `Vary` names. Stages below the cache set two of them: the credential that the session adds, or that a 401
// asked for, and the cookies that came with the 401.

extension CacheTransaction {
  /// The request's fields as they will be sent, as far as that is known before.
  var fieldsToBeSent: HeaderFields {
    var fields = outgoing(request)
    if !request.headers.contains("Authorization"), !session.authentications.isEmpty, let known = session.authentications.known(for: target)
    {
      fields.set("Authorization", known.expectedField)
    }
    return fields
  }

  /// The request's fields as they were sent, without conditions of the cache's own.
  var fieldsAsSent: HeaderFields {
    guard let sent = next.load.sentRequest else { return outgoing(request) }
    var request = request
    for name in ["Authorization", "Cookie"] {
      let value = sent.headers.first(name)
      guard value != request.headers.first(name) else { continue }
      request.mutateHeaders { headers in
        if let value { headers.set(name, value) } else { headers.remove(name) }
      }
    }
    return outgoing(request)
  }

  /// Whether the response varies by a credential that no field shows: that of the connection.
  func variesUnseen(_ head: ResponseHead) -> Bool {
    guard context.terms.authentication != nil, let names = VaryRules.names(head) else { return false }
    return names.contains { $0.lowercased() == "authorization" }
  }

  /// With the session's headers and the loader's defaults.
  private func outgoing(_ request: LoadRequest) -> HeaderFields {
    let outgoing = try? DefaultHeaderRules.outgoing(
      request, target: target, defaults: session.headerDefaults, hasLeftOrigin: !next.load.origins.isAtFirst(target.origin))
    return outgoing?.fields ?? request.headers
  }

  // MARK: after a confirmation

  func decision(on found: StoredResponse, updated head: ResponseHead) -> InvalidationRules.ConfirmedDecision {
    let decision = InvalidationRules.decide(updated: head, stored: found.facts, request: request)
    // What the app stored belongs to the request it named.
    return decision == .storeAnew && found.source != .load ? .update : decision
  }

  /// `hit`, the answer from a stored response that was confirmed, with what its confirmation means to the store.
  func keeping(_ hit: Loaded, _ confirmed: StoredResponse, _ decision: InvalidationRules.ConfirmedDecision) -> Loaded {
    switch decision {
    case .update, .keep: return hit
    case .remove:
      store.remove(confirmed)
      return hit
    case .storeAnew:
      store.remove(confirmed)
      return storingAnew(hit, confirmed)
    }
  }

  /// The body is stored once more on its way to the app. A part of it, for a range, isn't.
  private func storingAnew(_ hit: Loaded, _ confirmed: StoredResponse) -> Loaded {
    guard hit.response.status == confirmed.head.status, !variesUnseen(confirmed.head) else { return hit }
    var anew = StoredResponse(
      url: confirmed.url, head: confirmed.head, requestFields: VaryRules.nominated(confirmed.head, in: fieldsAsSent),
      requestTime: confirmed.requestTime, responseTime: confirmed.responseTime, storagePolicy: confirmed.storagePolicy,
      userInfo: confirmed.userInfo)
    anew.responseURL = confirmed.responseURL
    guard let writer = store.beginStoring(anew, expectedLength: confirmed.bodyLength) else { return hit }
    var kept = hit
    kept.body = StoringBody(
      hit.body, anew, writer, store, limit: StorageRules.largestBody(capacity: store.capacity), review: nil, ending: .withTheBody,
      client: next.client,
      context: context)
    return kept
  }
}

extension AuthenticationMemory.Known {
  /// The fields that a request will be sent with. Where that can't be told before, a value that no request ever has: nothing stored fits
  /// it.
  fileprivate var expectedField: String {
    switch proof {
    case .basic: credential?.login.flatMap(BasicAuthentication.authorization) ?? ""
    case .digest: "Digest"
    case .connection: "Negotiate"
    }
  }
}
