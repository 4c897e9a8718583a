import HTTPTransport
import LoadingModel
import ProtocolRules

// Where credentials come from: the session's memory of the space, the URL, the storage; the app is asked before one of the latter two is
// used, and is the only one to ask once they have been refused.

extension AuthenticationHandler {
  /// What was found for an offer.
  enum Finding {
    /// nil: what the system has.
    case credential(Credential?, AuthenticationAttempt.Source)
    /// Nothing: the next offer.
    case nothing
    /// The app wants to continue without a credential.
    case noCredential
  }

  mutating func finding(for offer: AuthenticationOffer, _ response: LoadResponse) async throws(LoadError) -> Finding {
    let space = offer.space
    let known = session.authentications.known(space)
    if let known, challenger.isProxy || known.mayServe(target), !isRefused(known.credential, space) {
      return .credential(known.credential, .memory)
    }
    // The proxy's settings say what to answer: no delegate is asked.
    if let own = challenger.settled, !isRefused(own, space), !session.authentications.isWeaker(space) { return .credential(own, .url) }
    let proposal = try await proposal(space)
    guard let client = next.client.challenges, client.mayAnswerChallenges, !isLeftToDefaults else { return byDefault(space, proposal) }
    let proposed = refused[space]?.last ?? proposal?.credential
    let challenge = Challenge(space, proposed: proposed, previousFailureCount: next.load.refusedAttempts, failureResponse: response)
    switch try await client.answer(challenge) {
    case .use(let credential?) where credential.login != nil:
      let isProposal = proposal.map { $0.credential.proves(sameAs: credential) && $0.credential.persistence == credential.persistence }
      return .credential(credential, isProposal == true ? proposal?.source ?? .app : .app)
    // Nothing that could be sent: as without a credential.
    case .use: return .noCredential
    case .performDefaultHandling:
      // Many apps answer kinds they don't know so: the answer for a scheme of the connection's doesn't hold for the others.
      if !space.method.isSessionLevel { isLeftToDefaults = true }
      return byDefault(space, proposal)
    case .cancel: throw .cancelled()
    case .reject:
      closed.insert(space)
      return .nothing
    }
  }

  /// What is answered without asking.
  private func byDefault(_ space: ProtectionSpace, _ proposal: Proposal?) -> Finding {
    // A credential that was given for any method isn't shown by a weaker one than before without a decision.
    if let proposal, proposal.source != .url || !session.authentications.isWeaker(space) {
      return .credential(proposal.credential, proposal.source)
    }
    return space.method == .negotiate ? .credential(nil, .system) : .nothing
  }

  private typealias Proposal = (credential: Credential, source: AuthenticationAttempt.Source)

  /// The first credential at hand that hasn't been refused.
  private func proposal(_ space: ProtectionSpace) async throws(LoadError) -> Proposal? {
    if let own = challenger.isProxy ? challenger.settled : Credential(of: target), !isRefused(own, space),
      !isRefused(own, .gateway(to: target.origin))
    {
      return (own, .url)
    }
    if let stored = try await next.client.challenges?.storedCredential(for: space), stored.login != nil, !isRefused(stored, space) {
      return (stored, .storage)
    }
    return nil
  }

  private func isRefused(_ credential: Credential?, _ space: ProtectionSpace) -> Bool {
    refused[space]?.contains { $0.proof == credential?.proof } ?? false
  }
}
