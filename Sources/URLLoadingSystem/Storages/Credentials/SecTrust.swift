import Foundation
import HTTPTransport
import LoadingModel

/// The certificates that a server sent to authenticate itself, and what they are evaluated against.
///
/// It comes with a challenge of `NSURLAuthenticationMethodServerTrust` and with the error of a connection whose server wasn't trusted. The
/// product `Security` has the functions that work on it, such as `SecTrustEvaluateWithError`. Any thread may use it.
public final class SecTrust: Hashable, Sendable {
  /// The server's certificate first, then those it sent along: any, in any order. Not for pins: see `certificates`.
  package let chain: [SecCertificate]
  /// The host that the certificate must be for; empty if none is demanded.
  package let host: String

  /// The terms of the evaluation.
  package struct Terms: Sendable {
    package var requirements: [TrustRequirement]
    /// Anchors set by the app; nil for the session's alone.
    package var anchors: [Data]?
    /// Whether only `anchors` count, and not the session's. As Apple's: setting anchors makes this so.
    package var trustsAnchorsOnly = false
    /// The moment at which the chain must be valid; nil for now.
    package var date: Date?
    /// Lists of revoked certificates in the place of the session's; nil for those.
    package var lists: RevocationLists?
    /// What `exceptions` gave for a chain that may pass as it is.
    package var exceptions: Data?
  }

  private struct State {
    var terms: Terms
    var verdict: TrustVerdict?
    /// The certificates that `verdict` shows.
    var certificates: [SecCertificate]?
    /// Counts the changes of `terms`: a verdict by older ones isn't kept.
    var generation: UInt64 = 0
  }

  /// The anchors of the session; nil for the system's.
  private let store: TrustStore?
  private let state: Mutex<State>

  package init(chain: [SecCertificate], requirements: [TrustRequirement], store: TrustStore? = nil) {
    self.chain = chain
    host = requirements.lazy.compactMap(\.host).first ?? ""
    self.store = store
    state = Mutex(State(terms: Terms(requirements: requirements)))
  }

  package convenience init(chain: [SecCertificate], host: String) {
    self.init(chain: chain, requirements: [TrustRequirement(usage: .server, host: host)])
  }

  package convenience init(_ peer: PeerTrust) {
    self.init(
      chain: peer.certificates.map { SecCertificate(derRepresentation: $0) },
      requirements: [TrustRequirement(usage: .server, host: peer.host)], store: peer.store)
  }

  /// The present terms of the evaluation.
  package var terms: Terms { state.withLock { $0.terms } }

  /// Changes the terms of the evaluation; the next question evaluates the chain anew.
  package func change(_ change: (inout Terms) -> Void) {
    state.withLock { state in
      change(&state.terms)
      state.verdict = nil
      state.certificates = nil
      state.generation &+= 1
    }
  }

  /// The last evaluation's result; nil if there was none since the terms changed.
  package var knownVerdict: TrustVerdict? { state.withLock { $0.verdict } }

  /// The chain evaluated by the present terms. Takes well under a millisecond; the first call of a process reads the system's roots.
  package func verdict() -> TrustVerdict {
    let (terms, known, generation) = state.withLock { ($0.terms, $0.verdict, $0.generation) }
    if let known { return known }
    let verdict = evaluate(terms)
    state.withLock { if $0.generation == generation { $0.verdict = verdict } }
    return verdict
  }

  /// What the app is shown: the verified chain, the server's certificate first and the anchor last, if the present terms trust it; else the
  /// server's certificate and the authorities of which each has signed the one before. What was sent besides is never in it: a server can
  /// send what it likes, such as an authority that an app has pinned.
  package var certificates: [SecCertificate] {
    let (terms, known, generation) = state.withLock { ($0.terms, $0.certificates, $0.generation) }
    if let known { return known }
    let verdict = verdict()
    let shown = verdict.isTrusted ? verdict.chain.map { SecCertificate(derRepresentation: $0) } : signedPath(terms)
    state.withLock { if $0.generation == generation { $0.certificates = shown } }
    return shown
  }

  private func signedPath(_ terms: Terms) -> [SecCertificate] {
    let sent = chain.map(\.derRepresentation)
    // Anchors that can't be read add nothing to what was sent.
    let store = (try? anchors(terms)) ?? (try? TrustStore.store(anchors: [], beside: nil))
    let path = store.map { TrustEvaluation.signedPath(of: sent, store: $0) } ?? []
    return path.isEmpty ? Array(chain.prefix(1)) : path.map { SecCertificate(derRepresentation: $0) }
  }

  private func evaluate(_ terms: Terms) -> TrustVerdict {
    let certificates = chain.map(\.derRepresentation)
    guard !certificates.isEmpty else { return TrustVerdict(.unreadable) }
    do throws(LoadError) {
      let store = try anchors(terms)
      let endsAtAnyAnchor = terms.anchors != nil
      var last = TrustVerdict(.untrusted("no policy was set"))
      for requirement in terms.requirements {
        last = TrustEvaluation.verdict(
          on: certificates, for: requirement, store: store, time: terms.date, endsAtAnyAnchor: endsAtAnyAnchor)
        if !last.isTrusted { return last }
      }
      return last
    } catch {
      return TrustVerdict(.untrusted(error.message))
    }
  }

  private func anchors(_ terms: Terms) throws(LoadError) -> TrustStore {
    try anchorsAlone(terms).looking(into: terms.lists ?? store?.lists)
  }

  private func anchorsAlone(_ terms: Terms) throws(LoadError) -> TrustStore {
    if terms.trustsAnchorsOnly { return try TrustStore.store(anchors: terms.anchors ?? [], beside: nil) }
    let own = if let store { store } else { try TrustStore.system() }
    guard let anchors = terms.anchors else { return own }
    return try TrustStore.store(anchors: anchors, beside: own)
  }

  /// Whether both hold the same chain for the same host.
  public static func == (lhs: SecTrust, rhs: SecTrust) -> Bool { lhs.host == rhs.host && lhs.chain == rhs.chain }

  /// Hashes host and chain.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(host)
    hasher.combine(chain)
  }
}

extension SecTrust {
  /// The lists of revoked certificates that evaluations look into. An addition to Apple's API.
  ///
  /// A challenge's trust has those of its session (`URLSessionConfiguration.revocationLists`); nil restores them. A certificate that one of them has, signed
  /// by its issuer, isn't trusted (`errSecCertificateRevoked`).
  ///
  /// - Parameter lists: In the place of the session's.
  public func setRevocationLists(_ lists: URLSessionRevocationLists?) { change { $0.lists = lists?.lists } }
}
