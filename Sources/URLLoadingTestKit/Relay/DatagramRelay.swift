#if TestKit
  import Foundation
  import LoadingModel
  import NIOCore
  import NIOPosix

  /// Relays datagrams between clients and a server on the loopback interface, and disturbs them as networks do: loses, duplicates and reorders them,
  /// changes the address by which the server sees a client, as a NAT does, or drops everything.
  ///
  /// The random choices come from a seed, and no timers are used: a delayed datagram is sent after a number of later ones. All members may be used
  /// from any thread.
  ///
  ///     let relay = try await DatagramRelay.start(to: server.port, .init(loss: 0.05, reordering: 0.05))
  ///     let url = URL(string: "https://127.0.0.1:\(relay.port)/")
  public final class DatagramRelay: Sendable {
    /// How a relay disturbs datagrams: each one by itself, in both directions. Fractions lie between 0 and 1.
    public struct Conduct: Sendable {
      /// The fraction of datagrams that are dropped.
      public var loss: Double
      /// The fraction of datagrams that are sent twice.
      public var duplication: Double
      /// The fraction of datagrams that are sent after one to four later datagrams of the same direction.
      public var reordering: Double
      /// The fraction of datagrams in which one byte is changed.
      public var corruption: Double
      /// After this many datagrams of a client, the server sees the client at another port, as when a NAT has dropped its mapping; nil for never.
      public var rebindsEvery: Int?
      /// Whether all datagrams are dropped, as by a firewall.
      public var isBlackhole = false

      /// A relay that disturbs datagrams in these ways; by default it passes all of them unchanged.
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

    /// Counts of the datagrams that a relay has received, and of the disturbances so far.
    public struct Counts: Sendable, Hashable {
      /// Datagrams received from clients.
      public internal(set) var fromClients = 0
      /// Datagrams received from the server.
      public internal(set) var fromServer = 0
      /// Datagrams that were dropped on purpose.
      public internal(set) var lost = 0
      /// Datagrams that were sent twice.
      public internal(set) var duplicated = 0
      /// Datagrams that were held back behind later ones.
      public internal(set) var reordered = 0
      /// Datagrams in which a byte was changed.
      public internal(set) var corrupted = 0
      /// How often the server has been shown another address of a client.
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

    /// Starts a relay; it relays datagrams when this returns.
    ///
    /// - Parameters:
    ///   - port: The server's port on 127.0.0.1.
    ///   - conduct: How datagrams are disturbed.
    ///   - seed: The start of the random choices: with the same seed and order of datagrams, the same ones are disturbed.
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

    /// How datagrams are disturbed from now on.
    public var conduct: Conduct {
      get { state.values.read(\.conduct) }
      set { state.values.update { $0.conduct = newValue } }
    }

    /// The counts so far.
    public var counts: Counts { state.values.read(\.counts) }

    /// Returns once `condition` is true for the counts. Throws `CancellationError` if the task is cancelled.
    public func wait(until condition: @escaping @Sendable (Counts) -> Bool) async throws {
      try await state.values.wait { condition($0.counts) }
    }

    /// Gives each client another port towards the server. Returns once the new sockets are bound.
    public func rebind() async throws {
      try await entrance.eventLoop.flatSubmit { [entrance] in
        entrance.eventLoop.makeCompletedFuture {
          try entrance.pipeline.syncOperations.handler(type: RelayEntrance.self).rebindAll()
        }.flatMap { $0 }
      }.get()
    }

    /// Ends the relay; datagrams that are held back are dropped. May be called repeatedly.
    public func shutdown() async {
      try? await entrance.close()
    }
  }
#endif
