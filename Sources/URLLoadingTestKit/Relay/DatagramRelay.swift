#if TestKit
  import Foundation
  import LoadingModel
  import NIOCore
  import NIOPosix

  /// Carries datagrams between clients and a server on the loopback interface, and does to them what networks do: loses, doubles and
  /// reorders them, changes the address that a client is seen by as a NAT does, or lets nothing through.
  ///
  /// Chance is seeded, and no time is involved: what is held back passes behind later datagrams. All members may be used from any thread.
  ///
  ///     let relay = try await DatagramRelay.start(to: server.port, .init(loss: 0.05, reordering: 0.05))
  ///     let url = URL(string: "https://127.0.0.1:\(relay.port)/")
  public final class DatagramRelay: Sendable {
    /// What befalls datagrams, each for itself and in both directions. Fractions lie between 0 and 1.
    public struct Conduct: Sendable {
      /// The fraction that is dropped.
      public var loss: Double
      /// The fraction that arrives twice.
      public var duplication: Double
      /// The fraction that arrives behind up to four later datagrams of its direction.
      public var reordering: Double
      /// The fraction in which a byte is changed.
      public var corruption: Double
      /// After so many datagrams of a client its address changes, as behind a NAT that forgets; nil for never.
      public var rebindsEvery: Int?
      /// Whether everything is dropped, as by a firewall.
      public var isBlackhole = false

      /// A conduct that differs from a faithful wire in these.
      public init(
        loss: Double = 0, duplication: Double = 0, reordering: Double = 0, corruption: Double = 0, rebindsEvery: Int? = nil
      ) {
        self.loss = loss
        self.duplication = duplication
        self.reordering = reordering
        self.corruption = corruption
        self.rebindsEvery = rebindsEvery
      }
    }

    /// What has happened so far.
    public struct Counts: Sendable, Hashable {
      /// Datagrams that came from clients, and from the server.
      public internal(set) var fromClients = 0
      /// Datagrams that came from the server.
      public internal(set) var fromServer = 0
      /// Datagrams that were dropped.
      public internal(set) var lost = 0
      /// Datagrams that were sent twice.
      public internal(set) var duplicated = 0
      /// Datagrams that were held back.
      public internal(set) var reordered = 0
      /// Datagrams that were changed.
      public internal(set) var corrupted = 0
      /// Changes of a client's address.
      public internal(set) var rebinds = 0
    }

    /// The port to which clients send.
    public let port: Int
    private let group: MultiThreadedEventLoopGroup
    private let entrance: any Channel
    private let state: RelayState

    private init(port: Int, group: MultiThreadedEventLoopGroup, entrance: any Channel, state: RelayState) {
      (self.port, self.group, self.entrance, self.state) = (port, group, entrance, state)
    }

    deinit { group.shutdownGracefully { _ in } }

    /// Starts a relay; it carries datagrams when this returns.
    ///
    /// - Parameters:
    ///   - port: The server's port on 127.0.0.1.
    ///   - seed: Decides, with the order of the datagrams, what befalls which.
    public static func start(to port: Int, _ conduct: Conduct = Conduct(), seed: UInt64 = 1) async throws -> DatagramRelay {
      let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
      do {
        let state = RelayState(conduct, seed: seed)
        let server = try SocketAddress(ipAddress: "127.0.0.1", port: port)
        let entrance = try await DatagramBootstrap.bind("127.0.0.1", 0, on: group) {
          $0.channelOption(.socketOption(.so_rcvbuf), value: 1 << 20)
        } _: {
          try $0.pipeline.syncOperations.addHandler(RelayEntrance(server, state))
        }
        .get()
        guard let own = entrance.localAddress?.port else { throw TestServer.Failure.notBound }
        return DatagramRelay(port: own, group: group, entrance: entrance, state: state)
      } catch {
        try? await group.shutdownGracefully()
        throw error
      }
    }

    /// Runs `body` with a relay that is shut down afterwards, whether `body` returns or throws.
    public static func with<Result: Sendable>(
      _ port: Int, _ conduct: Conduct = Conduct(), seed: UInt64 = 1, _ body: (DatagramRelay) async throws -> Result
    ) async throws -> Result {
      let relay = try await start(to: port, conduct, seed: seed)
      do {
        let result = try await body(relay)
        await relay.shutdown()
        return result
      } catch {
        await relay.shutdown()
        throw error
      }
    }

    /// What befalls datagrams that come from now on.
    public var conduct: Conduct {
      get { state.values.read(\.conduct) }
      set { state.values.update { $0.conduct = newValue } }
    }

    /// What has happened so far.
    public var counts: Counts { state.values.read(\.counts) }

    /// Returns once `condition` holds of what has happened. Throws `CancellationError` if the task is cancelled.
    public func wait(until condition: @escaping @Sendable (Counts) -> Bool) async throws {
      try await state.values.wait { condition($0.counts) }
    }

    /// Gives each client another address towards the server. Returns once datagrams come from there.
    public func rebind() async throws {
      try await entrance.eventLoop.flatSubmit { [entrance] in
        entrance.eventLoop.makeCompletedFuture {
          try entrance.pipeline.syncOperations.handler(type: RelayEntrance.self).rebindAll()
        }.flatMap { $0 }
      }.get()
    }

    /// Ends the relay. What is held back is lost. May be called repeatedly.
    public func shutdown() async {
      try? await entrance.close()
    }
  }
#endif
