import Foundation
import NIOCore
import NIOPosix
import Testing
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct RelayTests {
  /// Sends back what comes, and lets tests wait for what has come back.
  private final class Echo: ChannelInboundHandler, Sendable {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    typealias OutboundOut = AddressedEnvelope<ByteBuffer>

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.writeAndFlush(data, promise: nil) }
  }

  private final class Inbox: ChannelInboundHandler, Sendable {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    let received: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation

    init() { (received, continuation) = AsyncStream.makeStream(of: String.self) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      continuation.yield(String(buffer: unwrapInboundIn(data).data))
    }
  }

  private func bind(_ handler: any ChannelInboundHandler & Sendable) async throws -> any Channel {
    try await DatagramBootstrap(group: NIOSingletons.posixEventLoopGroup)
      .channelInitializer { $0.pipeline.addHandler(handler) }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  /// Sends these words through a relay to an echo; returns what comes back, up to so many words.
  private func pass(
    _ words: [String], _ conduct: DatagramRelay.Conduct, expecting count: Int,
    _ change: (DatagramRelay, Int) async throws -> Void = { _, _ in }
  ) async throws -> (words: [String], counts: DatagramRelay.Counts) {
    let echo = try await bind(Echo())
    let inbox = Inbox()
    let client = try await bind(inbox)
    let port = try #require(echo.localAddress?.port)
    let result = try await DatagramRelay.with(port, conduct) { relay async throws in
      let address = try SocketAddress(ipAddress: "127.0.0.1", port: relay.port)
      var answers = inbox.received.makeAsyncIterator()
      var received: [String] = []
      for (index, word) in words.enumerated() {
        try await change(relay, index)
        try await client.writeAndFlush(AddressedEnvelope(remoteAddress: address, data: ByteBuffer(string: word)))
        if count == words.count, let answer = await answers.next() { received.append(answer) }
      }
      try await relay.wait { $0.fromClients == words.count }
      while received.count < count, let answer = await answers.next() { received.append(answer) }
      return (received, relay.counts)
    }
    try await client.close()
    try await echo.close()
    return result
  }

  @Test func faithfulRelayPassesEverything() async throws {
    let words = (0..<50).map { "\($0)" }
    let (received, counts) = try await pass(words, DatagramRelay.Conduct(), expecting: 50)
    #expect(received == words)
    #expect(counts.fromClients == 50 && counts.fromServer == 50 && counts.lost == 0)
  }

  @Test func blackholePassesNothing() async throws {
    var conduct = DatagramRelay.Conduct()
    conduct.isBlackhole = true
    let (received, counts) = try await pass(["a", "b", "c"], conduct, expecting: 0)
    #expect(received.isEmpty)
    #expect(counts.lost == 3 && counts.fromServer == 0)
  }

  @Test func doubledDatagramsComeTwiceInEachDirection() async throws {
    let (received, _) = try await pass(["a"], DatagramRelay.Conduct(duplication: 1), expecting: 4)
    #expect(received == ["a", "a", "a", "a"])
  }

  @Test func clientWhoseAddressChangesIsStillAnswered() async throws {
    let (received, counts) = try await pass(["a", "b", "c"], DatagramRelay.Conduct(), expecting: 3) { relay, index in
      if index > 0 { try await relay.rebind() }
    }
    #expect(received == ["a", "b", "c"])
    #expect(counts.rebinds == 2)
  }

  @Test("a socket whose port is taken is closed") func takenPort() async throws {
    let group = NIOSingletons.posixEventLoopGroup
    let first = try await DatagramBootstrap.bind("127.0.0.1", 0, on: group) { _ in }.get()
    let port = try #require(first.localAddress?.port)
    let (made, continuation) = AsyncStream.makeStream(of: (any Channel).self)
    await #expect(throws: IOError.self) {
      try await DatagramBootstrap.bind("127.0.0.1", port, on: group) { continuation.yield($0) }.get()
    }
    continuation.finish()
    var sockets = made.makeAsyncIterator()
    let second = try #require(await sockets.next())
    try await second.closeFuture.get()
    try await first.close()
  }
}
