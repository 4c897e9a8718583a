import FTPTransport
import HTTPTransport
import LoadingModel
import ProtocolRules

/// Finds credentials that an FTP server accepts: those of the URL, of the session's memory, none (anonymous), of the storage, and then the app's.
///
/// Each attempt uses a new connection, because many servers end the session after a refused login. Lives for one load.
struct FTPLogin {
  private enum Outcome {
    case welcome
    case needsTLS(FTPReply)
    case refused
    /// The server asked for a password, and the attempt has none.
    case needsPassword
  }

  private struct Attempt {
    /// nil for an anonymous login.
    let credential: Credential?
    let source: AuthenticationAttempt.Source?
    /// Whether the attempt has a password, in case the server asks for one.
    var isComplete = true
  }

  private struct Commands {
    let user: FTPCommand
    let password: FTPCommand

    /// - Parameter login: The user name and password; nil for an anonymous login.
    init(_ login: (user: String, password: String)?) throws(LoadError) {
      user = try FTPCommand("USER", (login?.user ?? "anonymous").utf8)
      password = try FTPCommand("PASS", (login?.password ?? "anonymous@").utf8)
    }
  }

  private static let attemptLimit = 100

  private let session: LoadSession
  private let request: LoadRequest
  private let target: Target
  private let load: Load
  private var context: LoadContext { load.context }
  private var client: any LoadClient { load.client }
  private let space: ProtectionSpace
  private var security: FTPSecurity
  private var failures = 0
  private var refused: [Credential] = []
  private var accepted: Attempt?

  init(session: LoadSession, request: LoadRequest, target: Target, load: Load) {
    self.session = session
    self.request = request
    self.target = target
    self.load = load
    let origin = target.origin
    space = ProtectionSpace(.server, origin, realm: nil, method: .login)
    security = FTPSecurity(origin)
  }

  /// Switches to AUTH TLS for the next attempt, because the server demands TLS; false if TLS is in use already.
  mutating func secureNext() -> Bool {
    guard case .none = security else { return false }
    security = .explicit
    return true
  }

  /// Opens connections until one is logged in, and returns it.
  mutating func connection() async throws(LoadError) -> FTPConnection {
    var attempt = accepted ?? firstAttempt
    for _ in 0..<FTPLogin.attemptLimit {
      // The commands are made first: if the login can't be sent, no connection is opened for it.
      let commands = try Commands(attempt.credential?.login)
      let (connection, greeting) = try await greeted()
      let outcome: Outcome
      do throws(LoadError) {
        outcome = try await logIn(on: connection, greeting, attempt, commands)
      } catch {
        // If the connection has no facts yet, TLS has failed after AUTH TLS: the failed attempt is noted for the metrics.
        if context.record.connection == nil { context.note(failed: connection.timings) }
        connection.end()
        throw error
      }
      if case .welcome = outcome {
        do throws(LoadError) {
          try await succeeded(attempt)
        } catch {
          connection.end()
          throw error
        }
        accepted = attempt
        context.waits(on: connection)
        return connection
      }
      connection.quit()
      switch outcome {
      case .welcome: break
      case .needsTLS(let reply):
        guard secureNext() else { throw FTPRefusal.error(reply, at: .login) }
      case .refused:
        noteRefusal(of: attempt)
        attempt = try await nextAttempt()
      case .needsPassword: attempt = try await nextAttempt()
      }
      context.beginTransaction(request)
    }
    throw FTPLogin.required
  }

  // MARK: one attempt

  private func makeConnection() -> FTPConnection {
    var settings = session.settings.tls
    // No ALPN: HTTP's protocol names would be wrong, and servers refuse names that they don't know.
    settings.applicationProtocols = []
    let policy = session.settings.tlsPolicy?(target.origin) ?? .none
    let terms = ChannelSecurity.Terms(
      origin: target.origin, settings: settings, policy: policy, identities: session.pool.identities, evaluator: client.peerEvaluator,
      deciders: session.pool.deciders)
    let connection = FTPConnection(context, terms, session.pool.streams)
    context.waits(on: connection)
    context.ownPath = connection
    return connection
  }

  /// A connection over a network that the load may use, after the server's greeting.
  private func greeted() async throws(LoadError) -> (FTPConnection, FTPReply) {
    func open() async throws(LoadError) -> (FTPConnection, FTPReply) {
      let connection = makeConnection()
      do throws(LoadError) {
        return (connection, try await connection.open(isSecuredAtOnce: security == .implicit))
      } catch {
        context.note(failed: connection.timings)
        connection.end()
        throw error
      }
    }
    return try await Connectivity(session, request, load).connection(
      open, address: { $0.0.facts?.localAddress }, giveBack: { $0.0.end() })
  }

  private mutating func logIn(
    on connection: FTPConnection, _ greeting: FTPReply, _ attempt: Attempt, _ commands: Commands
  ) async throws(LoadError) -> Outcome {
    context.record.fetchType = .networkLoad
    context.record.networkProtocolName = "ftp"
    if security == .explicit, greeting.isCompletion { try await connection.beginTLS() }
    connection.timings.fill(&context.record)
    context.record.connection = connection.facts
    context.record.isProxyConnection = context.terms.routeAttempt != nil
    context.record.requestStart = context.clock.now
    guard greeting.isCompletion else { throw FTPRefusal.error(greeting, at: .greeting) }
    var reply = try await connection.ask(commands.user)
    if reply.code == 331 {
      guard attempt.isComplete else { return .needsPassword }
      reply = try await connection.ask(commands.password)
    }
    if reply.isCompletion { return .welcome }
    if case .none = security, FTPRefusal.demandsTLS(reply) { return .needsTLS(reply) }
    switch reply.code {
    case 530, 430, 331: return .refused
    case 332: throw LoadError(.userAuthenticationRequired, .head, "the server wants an account besides user and password (FTP reply 332)")
    // Servers that accept no anonymous users say so with various codes.
    case 500..<600 where attempt.credential == nil: return .refused
    default: throw FTPRefusal.error(reply, at: .login)
    }
  }

  // MARK: credentials

  private var firstAttempt: Attempt {
    if let own = Credential(of: target) { return Attempt(credential: own, source: .url, isComplete: target.password != nil) }
    if let known = session.authentications.known(space)?.credential { return Attempt(credential: known, source: .memory) }
    return Attempt(credential: nil, source: nil)
  }

  private mutating func noteRefusal(of attempt: Attempt) {
    guard let credential = attempt.credential else { return }
    failures += 1
    refused.append(credential)
    if case .memory = attempt.source { session.authentications.forget(space, credential) }
  }

  private mutating func nextAttempt() async throws(LoadError) -> Attempt {
    var proposal = try await client.challenges?.storedCredential(for: space)
    if let stored = proposal, stored.login == nil || refused.contains(where: { $0.proves(sameAs: stored) }) { proposal = nil }
    // If the URL names a user, a stored credential of another user isn't tried.
    if let user = target.user, !user.isEmpty, proposal?.login?.user != user { proposal = nil }
    guard let challenges = client.challenges, challenges.mayAnswerChallenges else { return try byDefault(proposal) }
    let challenge = Challenge(
      space, proposed: refused.last ?? proposal ?? Credential(of: target), previousFailureCount: failures)
    switch try await challenges.answer(challenge) {
    case .use(let credential?) where credential.login != nil: return Attempt(credential: credential, source: .app)
    case .use, .reject: throw FTPLogin.required
    case .performDefaultHandling: return try byDefault(proposal)
    case .cancel: throw .cancelled(.head)
    }
  }

  private func byDefault(_ proposal: Credential?) throws(LoadError) -> Attempt {
    guard let proposal else { throw FTPLogin.required }
    return Attempt(credential: proposal, source: .storage)
  }

  private func succeeded(_ attempt: Attempt) async throws(LoadError) {
    guard let credential = attempt.credential, credential.persistence != .none else { return }
    session.authentications.remember(
      AuthenticationMemory.Known(space: space, credential: credential, scope: .origin, proof: .basic))
    if case .app = attempt.source { try await client.challenges?.store(credential, for: space, insteadOf: refused) }
  }

  private static let required = LoadError(
    .userAuthenticationRequired, .head, "the server refused the login; supply a user and password in the URL or when challenged")
}
