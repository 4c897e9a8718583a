import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel
import ProtocolRules

// Challenges: the engine's questions become the public objects, which the pump brings to the delegates, and the answers come back.

extension TaskLoad: ChallengeAnswering {
  var mayAnswerChallenges: Bool { chain.mayAnswerChallenges }

  nonisolated(nonsending) func answer(_ challenge: Challenge) async throws(LoadError) -> ChallengeAnswer {
    guard mayAnswerChallenges else { return .performDefaultHandling }
    context.observer?.challenged(challenge.space.method.publicName)
    let asked = URLAuthenticationChallenge(challenge)
    return try await AppWait<ChallengeAnswer>.ask(context) { wait in
      ask(asked) { disposition, credential in wait.answer(ChallengeAnswer(disposition, credential)) }
    }
  }

  /// Asks the delegates; from any thread. The answer comes on any thread, and is default handling if no delegate takes the challenge.
  func ask(
    _ challenge: URLAuthenticationChallenge, then: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard mayAnswerChallenges else { return then(.performDefaultHandling, nil) }
    let (chain, session, task) = (chain, session, task)
    pump.post {
      chain.didReceiveChallenge(session, task, challenge) { disposition, credential in then(disposition, credential) }
    }
  }
}

// The storage may be a subclass of the app's, or have to wait for a service: it is never asked on the event loop. Its `async` members are
// called, whose base forms lead to the others, so that whatever a subclass overrides is found.

extension TaskLoad {
  nonisolated(nonsending) func storedCredential(for space: ProtectionSpace) async throws(LoadError) -> Credential? {
    guard let storage = session.settings.urlCredentialStorage else { return nil }
    let (space, task) = (URLProtectionSpace.make(space), task)
    let stored = try await AppWait<URLCredential?>.ask(context) { wait in
      Task { wait.answer(await storage.defaultCredential(for: space, task: task)) }
    }
    return stored.map { Credential($0) }
  }

  nonisolated(nonsending) func store(
    _ credential: Credential, for space: ProtectionSpace, insteadOf refused: [Credential]
  ) async throws(LoadError) {
    guard let storage = session.settings.urlCredentialStorage, let credential = URLCredential.make(credential) else { return }
    let (space, task) = (URLProtectionSpace.make(space), task)
    try await AppWait<Void>.ask(context) { wait in
      // Keeping may wait for the disk, which Swift's own threads must not. One queue each: a storage that hangs holds up no other.
      let queue = DispatchQueue(label: "credential storage")
      queue.async {
        storage.set(credential, for: space, task: task)
        Task {
          // The first one that works is what to try without asking, until the server refuses it.
          if let current = await storage.defaultCredential(for: space, task: task).map({ Credential($0) }),
            !refused.contains(where: { $0.proves(sameAs: current) })
          {
            return wait.answer(())
          }
          queue.async {
            storage.setDefaultCredential(credential, for: space, task: task)
            wait.answer(())
          }
        }
      }
    }
  }
}

extension ChallengeAnswer {
  init(_ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?) {
    switch disposition {
    case .useCredential: self = .use(credential.map { Credential($0) })
    case .performDefaultHandling: self = .performDefaultHandling
    case .cancelAuthenticationChallenge: self = .cancel
    case .rejectProtectionSpace: self = .reject
    }
  }
}

extension URLAuthenticationChallenge {
  convenience init(_ challenge: Challenge) {
    self.init(
      space: URLProtectionSpace.make(challenge), proposal: challenge.proposed.flatMap { URLCredential.make($0) },
      failures: challenge.previousFailureCount, response: challenge.failureResponse.map { URLResponse.make($0) },
      error: challenge.error.map { $0.urlError(failingURL: nil) })
  }
}

extension URLProtectionSpace {
  /// The space that `challenge` asks about, with what the server presented.
  static func make(_ challenge: Challenge) -> URLProtectionSpace {
    let origin = challenge.space.origin
    switch challenge.evidence {
    case .serverCertificates(let certificates):
      let chain = certificates.map { SecCertificate(derRepresentation: $0) }
      return URLProtectionSpace(serverTrust: SecTrust(chain: chain, host: origin.host), port: origin.port)
    case .acceptableIssuers(let issuers):
      return URLProtectionSpace(clientCertificateFor: origin.host, port: origin.port, issuers: issuers)
    case .none: return make(challenge.space)
    }
  }

  static func make(_ space: ProtectionSpace) -> URLProtectionSpace {
    let (origin, method) = (space.origin, space.method.publicName)
    // RFC 9110, 11.5 asks Basic and Digest for a realm. Where a server leaves it out the host takes its place, as on Apple's platforms.
    let hasRealm = space.method == .basic || space.method == .digest
    let realm = space.realm ?? (hasRealm ? origin.host : nil)
    switch space.peer {
    case .server:
      return URLProtectionSpace(
        host: origin.host, port: origin.port, protocol: origin.publicProtocol,
        realm: realm, authenticationMethod: method)
    case .proxy:
      return URLProtectionSpace(
        proxyHost: origin.host, port: origin.port,
        type: origin.isSecure ? NSURLProtectionSpaceHTTPSProxy : NSURLProtectionSpaceHTTPProxy, realm: realm,
        authenticationMethod: method)
    }
  }
}

extension Origin {
  /// The constant for the scheme; FTP's are themselves.
  fileprivate var publicProtocol: String {
    switch scheme {
    // NSURLProtectionSpaceFTP is deprecated, its value isn't.
    case "ftp", "ftps": scheme
    default: isSecure ? NSURLProtectionSpaceHTTPS : NSURLProtectionSpaceHTTP
    }
  }
}

extension AuthenticationMethod {
  /// The constant for it.
  var publicName: String {
    switch self {
    case .login: NSURLAuthenticationMethodDefault
    case .basic: NSURLAuthenticationMethodHTTPBasic
    case .digest: NSURLAuthenticationMethodHTTPDigest
    case .ntlm: NSURLAuthenticationMethodNTLM
    case .negotiate: NSURLAuthenticationMethodNegotiate
    case .clientCertificate: NSURLAuthenticationMethodClientCertificate
    case .serverTrust: NSURLAuthenticationMethodServerTrust
    }
  }
}

extension Credential {
  /// The engine's view of an app's credential. The public properties are asked: a subclass may override them.
  init(_ credential: URLCredential) {
    let proof: Proof
    if let user = credential.user {
      proof = .password(user: user, password: credential.password ?? "")
    } else if let identity = credential.identity {
      let intermediates = credential.certificates.compactMap { $0 as? SecCertificate }
      proof = .identity(
        chain: ([identity.certificate] + intermediates).map(\.derRepresentation), privateKey: identity.privateKeyDER)
    } else {
      proof = .trust
    }
    self.init(proof, persistence: Persistence(rawValue: credential.persistence.rawValue) ?? .none, native: credential)
  }
}

extension URLCredential {
  /// The public object of a password credential; of any other only if it was one before.
  static func make(_ credential: Credential) -> URLCredential? {
    if let native = credential.native as? URLCredential { return native }
    guard let login = credential.login else { return nil }
    return URLCredential(
      user: login.user, password: login.password, persistence: Persistence(rawValue: credential.persistence.rawValue) ?? .none)
  }
}
