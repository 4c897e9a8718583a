#if HTTP3
  import NIOCore
  import NIOEmbedded
  import NIOPosix

  @testable import HTTPTransport

  /// The way of datagrams between a client's sockets and one server: with latency, loss, reordering, and addresses that change on the way.
  ///
  /// There is no socket and no clock: a datagram's arrival is a task of the event loop, whose time moves when the test moves it. Used by one
  /// test, on its thread.
  final class DatagramNetwork: @unchecked Sendable {
    // @unchecked: used by one test, step by step.

    enum Direction: Sendable, CaseIterable {
      case toServer, toClient
    }

    struct Conditions: Sendable {
      var latency = TimeAmount.milliseconds(20)
      /// One datagram of so many is lost; nil for none.
      var losesEvery: Int?
      /// One datagram of so many takes three times as long, and is overtaken; nil for none.
      var delaysEvery: Int?
      var isCut = false
      /// How many arrive before all others are lost; nil for no limit.
      var arriving: Int?
      /// The number of a datagram that is lost, of all of its direction; nil for none.
      var losing: Int?
    }

    let loop = EmbeddedEventLoop()
    var conditions: [Direction: Conditions] = [.toServer: Conditions(), .toClient: Conditions()]
    /// Where the server is; what comes for it.
    let serverAddress: SocketAddress
    var receive: ((ByteBuffer, _ from: SocketAddress, _ ecn: CInt) -> Void)?
    /// The client's own address, from which its next sockets send; nil where it has none.
    var clientHost: String? = "10.0.0.1"
    /// Whether a socket is there in the next turn of the loop only.
    var opensLater = false
    /// Datagrams of each direction that were sent.
    private(set) var counts: [Direction: Int] = [:]
    private var channels: [SocketAddress: EmbeddedChannel] = [:]
    private var opened: [EmbeddedChannel] = []
    /// The client's sockets that are open.
    var openSockets: Int { opened.count { $0.isActive } }
    /// The address that the server sees, by the socket's own: of a router between them (NAT).
    private var outside: [SocketAddress: SocketAddress] = [:]
    private var nextPort = 50_000

    init() throws {
      serverAddress = try SocketAddress(ipAddress: "10.0.0.99", port: 443)
      // Its time begins at zero, which means "never" to some.
      loop.advanceTime(by: .seconds(1000))
    }

    func change(_ direction: Direction, _ change: (inout Conditions) -> Void) { change(&conditions[direction, default: Conditions()]) }

    /// Only the first datagram of a direction arrives from now on.
    func losesAllAfterFirst(_ direction: Direction) { change(direction) { $0.arriving = counts[direction, default: 0] + 1 } }

    /// The next datagram of a direction is lost.
    func losesNext(_ direction: Direction) { change(direction) { $0.losing = counts[direction, default: 0] + 1 } }

    func cut(_ isCut: Bool) { for direction in Direction.allCases { change(direction) { $0.isCut = isCut } } }

    /// The router forgets the client: what it sends comes from elsewhere from now on, and what is sent to where it was before is lost.
    func rebind() throws {
      for own in channels.keys { outside[own] = try SocketAddress(ipAddress: "192.0.2.1", port: takePort()) }
    }

    private func takePort() -> Int {
      nextPort += 1
      return nextPort
    }

    // MARK: the client's sockets

    /// For `SocketSettings.opensDatagramChannel`.
    func open(
      _ address: SocketAddress, _ began: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) -> EventLoopFuture<any Channel> {
      guard let clientHost, let own = try? SocketAddress(ipAddress: clientHost, port: takePort()) else {
        return loop.makeFailedFuture(IOError(errnoCode: 101, reason: "connect"))
      }
      let channel = EmbeddedChannel(handler: DatagramExit(self, own), loop: loop)
      opened.append(channel)
      channel.localAddress = own
      channels[own] = channel
      let there = began(channel).flatMap { channel.connect(to: address) }
      return (opensLater ? there.flatMap { self.loop.scheduleTask(in: .milliseconds(1)) {}.futureResult } : there).map { channel }
    }

    /// The system takes the client's sockets away.
    func closeSockets() {
      for channel in opened { channel.close(promise: nil) }
      channels = [:]
    }

    func finish() {
      closeSockets()
      receive = nil
      loop.advanceTime(by: .hours(1))
    }

    // MARK: datagrams

    fileprivate func sendToServer(_ datagram: ByteBuffer, from own: SocketAddress, ecn: CInt) {
      let source = outside[own] ?? own
      transport(.toServer) { $0.receive?(datagram, source, ecn) }
    }

    /// - Parameter address: The client's, as the server sees it.
    func sendToClient(_ datagram: ByteBuffer, to address: SocketAddress, ecn: CInt) {
      transport(.toClient) { network in
        guard let own = network.channels.keys.first(where: { (network.outside[$0] ?? $0) == address }) else { return }
        let metadata = AddressedEnvelope<ByteBuffer>.Metadata(ecnState: NIOExplicitCongestionNotificationState(bits: ecn))
        let envelope = AddressedEnvelope(remoteAddress: network.serverAddress, data: datagram, metadata: metadata)
        guard let channel = network.channels[own], channel.isActive else { return }
        channel.pipeline.syncOperations.fireChannelRead(NIOAny(envelope))
        channel.pipeline.syncOperations.fireChannelReadComplete()
      }
    }

    private func transport(_ direction: Direction, _ arrive: @escaping (DatagramNetwork) -> Void) {
      let number = counts[direction, default: 0] + 1
      counts[direction] = number
      let conditions = conditions[direction, default: Conditions()]
      func isChosen(_ every: Int?) -> Bool { every.map { number % $0 == 0 } ?? false }
      if conditions.isCut || conditions.arriving.map({ number > $0 }) ?? false || isChosen(conditions.losesEvery)
        || conditions.losing == number
      {
        return
      }
      let latency = isChosen(conditions.delaysEvery) ? conditions.latency * 3 : conditions.latency
      loop.scheduleTask(in: latency) { arrive(self) }
    }
  }

  /// Ends a channel as a socket of UDP does: what is written leaves with the next flush, datagram by datagram.
  private final class DatagramExit: ChannelOutboundHandler {
    typealias OutboundIn = AddressedEnvelope<ByteBuffer>

    private let network: DatagramNetwork
    private let address: SocketAddress
    private var waiting: [AddressedEnvelope<ByteBuffer>] = []

    init(_ network: DatagramNetwork, _ address: SocketAddress) { (self.network, self.address) = (network, address) }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      waiting.append(unwrapOutboundIn(data))
      promise?.succeed()
    }

    func flush(context: ChannelHandlerContext) {
      let envelopes = waiting
      waiting = []
      for envelope in envelopes {
        var bytes = envelope.data
        let segment = envelope.metadata?.segmentSize ?? bytes.readableBytes
        while let datagram = bytes.readSlice(length: min(segment, bytes.readableBytes)), datagram.readableBytes > 0 {
          network.sendToServer(datagram, from: address, ecn: envelope.metadata?.ecnState.bits ?? 0)
        }
      }
    }
  }
#endif
