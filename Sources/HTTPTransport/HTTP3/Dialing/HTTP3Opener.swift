#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore
  import NIOSSL
  import ProtocolRules

  /// Opens connections of HTTP/3: looks the name up, has the addresses race, and secures the one that answers.
  ///
  /// Owned by the session; confined to its event loop.
  package final class HTTP3Opener: AlternativeOpener, @unchecked Sendable {
    // @unchecked: immutable; what it refers to is confined to the session's event loop.
    private let executor: LoopExecutor
    private let clock: any LoadClock
    private let sockets: SocketSettings
    private let hosts: HostCache
    private let tls: TLSSettings
    private let policy: TLSPolicyRule?
    private let identities: ClientIdentityCache
    /// Whether safe requests may be sent with the first packet (`URLSessionConfiguration.enablesEarlyData`).
    private let sendsEarlyData: Bool
    package let memory = QUICMemory()

    package init(
      executor: LoopExecutor, clock: any LoadClock, sockets: SocketSettings, hosts: HostCache, tls: TLSSettings, policy: TLSPolicyRule?,
      identities: ClientIdentityCache, sendsEarlyData: Bool = false
    ) {
      self.sendsEarlyData = sendsEarlyData
      self.executor = executor
      self.clock = clock
      self.sockets = sockets
      self.hosts = hosts
      self.tls = tls
      self.policy = policy
      self.identities = identities
    }

    package func open(
      _ attempt: ConnectAttempt, at endpoint: AlternativeEndpoint, owner: any AttemptOwner
    ) async throws(LoadError) -> any MultiplexedConnection {
      do {
        let security = try security(attempt, owner)
        let dial = HTTP3Dial(
          attempt, at: endpoint, security, memory, clock, executor.eventLoop, sockets, owner, sendsEarlyData: sendsEarlyData)
        let connection = try await dial.connect(hosts).get()
        connection.limitHandshake(dial.security.questions)
        attempt.timings.secureStart = attempt.timings.connectStart
        try await connection.proceed().get()
        return connection
      } catch {
        throw TransportErrors.connecting(error)
      }
    }

    package func forget() { memory.removeAll() }

    private func security(_ attempt: ConnectAttempt, _ owner: any AttemptOwner) throws(LoadError) -> HTTP3Security {
      let origin = attempt.origin
      let policy = policy?(origin) ?? .none
      var settings = tls.applying(policy)
      guard settings.maximumVersion >= HTTP3Opener.version13 else {
        throw LoadError(.secureConnectionFailed, .secure, "HTTP/3 needs TLS 1.3, which the session's configuration forbids")
      }
      settings.minimumVersion = HTTP3Opener.version13
      settings.applicationProtocols = ["h3"]
      return HTTP3Security(
        origin: origin, settings: settings, policy: policy, identities: identities, tickets: memory.tickets,
        questions: owner.questions(for: attempt), eventLoop: executor.eventLoop)
    }

    private static let version13: UInt16 = 0x0304
  }
#endif
