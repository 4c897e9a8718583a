import HTTPTransport
import LoadingModel
import ProtocolRules

// Finds credentials: in the session's memory of the protection space, the URL, or the storage. The app is asked before one of the latter two is
// used, and once they have been refused it is the only source.

extension AuthenticationHandler {
  /// The credential found for one offer of the challenge.
  enum Finding {
    /// This credential; nil means the system's own login.
    case credential(Credential?, AuthenticationAttempt.Source)
    /// No credential for this offer: the next offer is tried.
    case nothing
    /// The app wants to continue without a credential, and gets the 401 or 407.
    case noCredential
  }

  mutating func finding(for offer: AuthenticationOffer, _ response: LoadResponse) async throws(LoadError) -> Finding {
    let space = offer.space
    let known = session.authentications.known(space) ?? next.load.proxyLogins?.known(space)
    if let known, challenger.isProxy || known.mayServe(target), !isRefused(known.credential, space) {
      return .credential(known.credential, .memory)
    }
    // A login in the proxy's settings is used without asking the delegate.
    if let own = challenger.settled, !isRefused(own, space), !session.authentications.isWeaker(space) { return .credential(own, .url) }
    let proposal = try await proposal(space)
    guard let client = next.client.challenges, client.mayAnswerChallenges, !isLeftToDefaults else { return byDefault(space, proposal) }
    let proposed = refused[space]?.last ?? proposal?.credential
    let challenge = Challenge(space, proposed: proposed, previousFailureCount: next.load.refusedAttempts, failureResponse: response)
    switch try await client.answer(challenge) {
    case .use(let credential?) where credential.login != nil:
      let isProposal = proposal.map { $0.credential.proves(sameAs: credential) && $0.credential.persistence == credential.persistence }
      return .credential(credential, isProposal == true ? proposal?.source ?? .app : .app)
    // A credential that has nothing to send for this scheme counts as none.
    case .use: return .noCredential
    case .performDefaultHandling:
      // Many apps use default handling for kinds they don't know: for a connection's scheme (NTLM, Negotiate) the answer therefore doesn't hold
      // for the other offers.
      if !space.method.isSessionLevel { isLeftToDefaults = true }
      return byDefault(space, proposal)
    case .cancel: throw .cancelled()
    case .reject:
      closed.insert(space)
      return .nothing
    }
  }

  /// The credential that default handling yields, without asking the app.
  private func byDefault(_ space: ProtectionSpace, _ proposal: Proposal?) -> Finding {
    // A login in the URL, which is meant for any method, isn't sent by a weaker method than before unless the app decides so.
    if let proposal, proposal.source != .url || !session.authentications.isWeaker(space) {
      return .credential(proposal.credential, proposal.source)
    }
    return space.method == .negotiate ? .credential(nil, .system) : .nothing
  }

  private typealias Proposal = (credential: Credential, source: AuthenticationAttempt.Source)

  /// The first credential from the URL (or the proxy's settings) or the storage that hasn't been refused.
  private func proposal(_ space: ProtectionSpace) async throws(LoadError) -> Proposal? {
    if let own = challenger.isProxy ? challenger.settled : Credential(of: target), !isRefused(own, space),
      !isRefused(own, .gateway(to: target.origin))
    {
      return (own, .url)
    }
    if let stored = try await next.client.challenges?.storedCredential(for: space), stored.login != nil, isOfUser(stored),
      !isRefused(stored, space)
    {
      return (stored, .storage)
    }
    return nil
  }

  /// Whether a stored credential may be used: if the URL names a user, only that user's.
  private func isOfUser(_ stored: Credential) -> Bool {
    guard !challenger.isProxy, let user = target.user, !user.isEmpty else { return true }
    return stored.login?.user == user
  }

  private func isRefused(_ credential: Credential?, _ space: ProtectionSpace) -> Bool {
    refused[space]?.contains { $0.proof == credential?.proof } ?? false
  }
}
