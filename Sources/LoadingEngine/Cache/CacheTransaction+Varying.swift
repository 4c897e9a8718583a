import HTTPTransport
import LoadingModel
import ProtocolRules
import Stores

// Which request fields a response's `Vary` means. Stages below the cache set two of them: `Authorization`, from the session's memory or after a
// 401, and `Cookie`, with the cookies that came with the 401.

extension CacheTransaction {
  /// The fields with which the request will be sent, as far as they are known before.
  var fieldsToBeSent: HeaderFields {
    var fields = outgoing(request)
    if !request.headers.contains("Authorization"), !session.authentications.isEmpty, let known = session.authentications.known(for: target)
    {
      fields.set("Authorization", known.expectedField)
    }
    return fields
  }

  /// The fields with which the request has been sent, without conditional fields that the cache added.
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

  /// Whether the response varies by a credential that isn't in a field, because the connection is authenticated (NTLM, Negotiate).
  func variesUnseen(_ head: ResponseHead) -> Bool {
    guard context.terms.authentication != nil, let names = VaryRules.names(head) else { return false }
    return names.contains { $0.lowercased() == "authorization" }
  }

  /// The request's fields with the session's additional headers and the loader's defaults.
  private func outgoing(_ request: LoadRequest) -> HeaderFields {
    let outgoing = try? DefaultHeaderRules.outgoing(
      request, target: target, defaults: session.headerDefaults, hasLeftOrigin: !next.load.origins.isAtFirst(target.origin))
    return outgoing?.fields ?? request.headers
  }

  // MARK: after a confirmation

  func decision(on found: StoredResponse, updated head: ResponseHead) -> InvalidationRules.ConfirmedDecision {
    let decision = InvalidationRules.decide(updated: head, stored: found.facts, request: request)
    // A response that the app has stored stays with the request that the app named.
    return decision == .storeAnew && found.source != .load ? .update : decision
  }

  /// Makes the changes in the store that follow from a confirmation. Returns `hit`, the loaded response, with a body that stores itself again if
  /// it must be stored anew.
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

  /// The loaded response with a body that is stored again while the app reads it; unchanged if it is only a part, for a range.
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
  /// The value of `Authorization` with which a request will be sent. If it can't be known before (Digest, connections), a value that no request
  /// has, so that no stored response matches.
  fileprivate var expectedField: String {
    switch proof {
    case .basic: credential?.login.flatMap(BasicAuthentication.authorization) ?? ""
    case .digest: "Digest"
    case .connection: "Negotiate"
    }
  }
}
