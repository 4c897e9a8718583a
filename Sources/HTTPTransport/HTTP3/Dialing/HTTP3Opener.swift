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
    // @unchecked: immutable but for `services`, which is confined to the session's event loop, as what the others refer to.
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
    /// The session's HTTPS records, which contain the keys for Encrypted Client Hello; nil if they aren't looked up.
    private weak var services: (any ServicePlaces)?

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
      let hello = EncryptedHello(tls.encryptedHello)
      do throws(LoadError) {
        return try await open(attempt, at: endpoint, hello, owner)
      } catch {
        if hello.wasRejected { attempt.timings.encryptedHello = .rejected }
        guard hello.retries, !attempt.isEnded, !owner.isDraining else { throw error }
      }
      // A second handshake after the rejection of the encrypted ClientHello (RFC 9849, 6.1.6). The first was rejected before the app was asked, so
      // its questions end.
      attempt.questions?.withdraw(.cancelled(.secure))
      return try await open(attempt, at: endpoint, hello, owner)
    }

    private func open(
      _ attempt: ConnectAttempt, at endpoint: AlternativeEndpoint, _ hello: EncryptedHello, _ owner: any AttemptOwner
    ) async throws(LoadError) -> any MultiplexedConnection {
      attempt.answers = nil
      do {
        for _ in 1..<HTTP3Opener.handshakes {
          do {
            return try await handshake(attempt, at: endpoint, hello, owner, endsInSilence: true)
          } catch is HTTP3HandshakeSilence {
            guard !attempt.isEnded, !owner.isDraining else { throw LoadError.cancelled(.secure) }
            attempt.answers = attempt.questions?.answers
          }
        }
        // The last handshake. If TCP is tried as well, it also ends when the server stops answering; otherwise it has its full time.
        return try await handshake(attempt, at: endpoint, hello, owner, endsInSilence: attempt.isBesideTCP)
      } catch is HTTP3HandshakeSilence {
        throw HTTP3Failure.noAnswer
      } catch {
        throw TransportErrors.connecting(error)
      }
    }

    /// The most handshakes of one attempt: a new one begins after the server has stopped answering in the middle of the previous one.
    private static let handshakes = 3

    private func handshake(
      _ attempt: ConnectAttempt, at endpoint: AlternativeEndpoint, _ hello: EncryptedHello, _ owner: any AttemptOwner, endsInSilence: Bool
    ) async throws -> HTTP3Connection {
      let security = try security(attempt, at: endpoint, hello, owner)
      let dial = HTTP3Dial(
        attempt, at: endpoint, security, memory, clock, executor.eventLoop, sockets, owner, sendsEarlyData: sendsEarlyData)
      let connection = try await dial.connect(hosts).get()
      connection.watchHandshake(dial.security.questions, endsInSilence: endsInSilence)
      attempt.timings.secureStart = attempt.timings.connectStart
      try await connection.proceed().get()
      return connection
    }

    package func forget() { memory.removeAll() }

    package func follow(_ services: any ServicePlaces) { self.services = services }

    private func security(
      _ attempt: ConnectAttempt, at endpoint: AlternativeEndpoint, _ hello: EncryptedHello, _ owner: any AttemptOwner
    ) throws(LoadError) -> HTTP3Security {
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
        questions: owner.questions(for: attempt), eventLoop: executor.eventLoop, hello: hello,
        keys: { [weak services] in services?.encryptedHello(of: origin, at: endpoint.host, endpoint.port) })
    }

    private static let version13: UInt16 = 0x0304
  }
#endif
