import Foundation
import HTTPTransport
import LoadingModel

/// The certificates that a server sent to authenticate itself, and the requirements by which they are evaluated.
///
/// It comes with a challenge of `NSURLAuthenticationMethodServerTrust` and with the error of a connection whose server wasn't trusted. The
/// product `Security` has the functions that work on it, such as `SecTrustEvaluateWithError`. Any thread may use it.
public final class SecTrust: Hashable, Sendable {
  /// The certificates as the server sent them: its own first, then any others in any order. Not to be compared with pins: use `certificates`.
  package let chain: [SecCertificate]
  /// The host that the certificate must be for; empty if none is demanded.
  package let host: String

  /// The settings by which the chain is evaluated, which the app may change.
  package struct Terms: Sendable {
    package var requirements: [TrustRequirement]
    /// The DER bytes of anchors set by the app; nil for the session's anchors alone.
    package var anchors: [Data]?
    /// Whether only `anchors` are trusted, and not the session's. Setting anchors makes it true, as on Apple's platforms.
    package var trustsAnchorsOnly = false
    /// The moment at which the chain must be valid; nil for now.
    package var date: Date?
    /// Lists of revoked certificates to use instead of the session's; nil for the session's.
    package var lists: RevocationLists?
    /// Exceptions that the app has set (`SecTrustSetExceptions`): the chain and host for which they were made pass whatever is wrong; nil for none.
    package var exceptions: Data?
  }

  private struct State {
    var terms: Terms
    var verdict: TrustVerdict?
    /// The certificates shown to the app for `verdict`; nil until they are asked for.
    var certificates: [SecCertificate]?
    /// Counts the changes of `terms`: a verdict is only stored if the terms haven't changed during the evaluation.
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

  /// The settings by which the chain is evaluated.
  package var terms: Terms { state.withLock { $0.terms } }

  /// Changes the settings of the evaluation, and drops the verdict: the next call of `verdict()` evaluates anew.
  package func change(_ change: (inout Terms) -> Void) {
    state.withLock { state in
      change(&state.terms)
      state.verdict = nil
      state.certificates = nil
      state.generation &+= 1
    }
  }

  /// The last evaluation's result; nil if the terms have changed since, or it was never evaluated.
  package var knownVerdict: TrustVerdict? { state.withLock { $0.verdict } }

  /// Evaluates the chain by the present terms, or returns the known result. Takes well under a millisecond; the first call of a process also reads
  /// the system's roots.
  package func verdict() -> TrustVerdict {
    let (terms, known, generation) = state.withLock { ($0.terms, $0.verdict, $0.generation) }
    if let known { return known }
    let verdict = evaluate(terms)
    state.withLock { if $0.generation == generation { $0.verdict = verdict } }
    return verdict
  }

  /// The certificates shown to the app: the verified chain, from the server's certificate to the anchor, if it is trusted; otherwise the server's
  /// certificate and those authorities each of which has signed the one before. Other certificates that the server sent are left out, as it can send
  /// any, for example an authority that an app has pinned.
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
    // If the app's anchors can't be read, the path is built from the sent certificates alone.
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

  /// Whether both have the same certificates and host.
  public static func == (lhs: SecTrust, rhs: SecTrust) -> Bool { lhs.host == rhs.host && lhs.chain == rhs.chain }

  /// Hashes the host and the certificates.
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
