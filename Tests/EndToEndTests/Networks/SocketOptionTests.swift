import ChildProcesses
import Foundation
import HTTPTransport
import LoadingModel
import NIOCore
import NIOPosix
import ProtocolRules
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// How the kernel is asked to carry connections, by what it says itself.
@Suite(.timeLimit(.minutes(10))) struct SocketOptionTests {
  private typealias Option = ChannelOptions.Types.SocketOption

  /// SOL_IP, SOL_IPV6, SOL_SOCKET and SOL_TCP, with IP_TOS, IPV6_TCLASS, SO_PRIORITY and TCP_FASTOPEN_CONNECT.
  private static let tos = Option(level: .init(rawValue: 0), name: .init(rawValue: 1))
  private static let trafficClass = Option(level: .init(rawValue: 41), name: .init(rawValue: 67))
  private static let priority = Option(level: .init(rawValue: 1), name: .init(rawValue: 12))
  private static let fastOpen = Option(level: .init(rawValue: 6), name: .init(rawValue: 30))

  /// What the options of a new socket to a server are.
  private func options(
    _ purpose: SocketPurpose, _ options: [ChannelOptions.Types.SocketOption], settings: SocketSettings = SocketSettings(),
    loopback: TestServer.Loopback = .ipv4
  ) async throws -> [Int] {
    var serverOptions = TestServer.Options.http
    serverOptions.loopback = loopback
    var values: [Int] = []
    try await TestServer.with(serverOptions) { server in
      let loop = MultiThreadedEventLoopGroup.singleton.next()
      let executor = LoopExecutor(loop)
      let clock = ManualClock()
      let channel = try await loop.flatSubmit {
        SocketDialer(executor: executor, clock: clock, settings: settings).connect(
          host: loopback.rawValue, port: server.port, timings: ConnectTimings(), for: purpose
        ) { $0.eventLoop.makeSucceededVoidFuture() }
      }.get()
      for option in options { values.append(Int(try await channel.getOption(option).get())) }
      try await channel.close()
    }
    return values
  }

  @Test func trafficIsMarked() async throws {
    let voice = SocketPurpose(traffic: TrafficClass(serviceType: 4))
    #expect(try await options(voice, [SocketOptionTests.tos, SocketOptionTests.priority]) == [0xB8, 6])
    let background = SocketPurpose(traffic: TrafficClass(serviceType: 3))
    #expect(try await options(background, [SocketOptionTests.tos, SocketOptionTests.priority]) == [0x20, 2])
    #expect(try await options(.standard, [SocketOptionTests.tos, SocketOptionTests.priority]) == [0, 0])
  }

  @Test(.enabled(if: ClosedPort.isIPv6There, "this machine has no IPv6 loopback address")) func trafficIsMarkedOverIPv6() async throws {
    let voice = SocketPurpose(traffic: TrafficClass(serviceType: 4))
    #expect(try await options(voice, [SocketOptionTests.trafficClass, SocketOptionTests.priority], loopback: .ipv6) == [0xB8, 6])
  }

  @Test func onlyHandshakesGoOutWithTheFirstPacketAndOnlyIfAskedFor() async throws {
    var settings = SocketSettings()
    let handshake = SocketPurpose(firstBytes: .handshake)
    #expect(try await options(handshake, [SocketOptionTests.fastOpen], settings: settings) == [0])
    settings.fastOpen = .handshakes
    #expect(try await options(handshake, [SocketOptionTests.fastOpen], settings: settings) == [1])
    #expect(try await options(.standard, [SocketOptionTests.fastOpen], settings: settings) == [0])
  }

  @Test(arguments: [Wire.tls, .h2]) func fastOpenLoads(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      configuration.allowsFastOpen = true
      server.route("/", reply: .text("ok"))
      for _ in 0..<3 {
        let session = URLSession(configuration: configuration)
        #expect(try await session.text(from: server.url()).0 == "ok")
        session.invalidateAndCancel()
      }
    }
  }

  @Test(arguments: Wire.allCases) func loadsOfDifferentServiceTypesHaveTheirOwnConnections(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      configuration.networkServiceType = .video
      let session = URLSession(configuration: configuration)
      server.route("/", reply: .text("ok"))
      var voice = URLRequest(url: server.url())
      voice.networkServiceType = .voice
      var video = voice
      video.networkServiceType = .video
      for request in [voice, video, voice, URLRequest(url: server.url())] { _ = try await session.data(for: request) }
      #expect(server.acceptedConnections == 2)
      session.invalidateAndCancel()
    }
  }

  @Test(
    .enabled(if: SocketSettings.hasMultipath && !TestProgram.isEmulated, "no Multipath TCP in this kernel, or an emulator hides it"),
    arguments: [true, false])
  func multipathIsUsedWhereTheServerHasItAndToldByMetrics(serverHasIt: Bool) async throws {
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .enableMPTCP(serverHasIt)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Answering()) }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let port = try #require(listener.localAddress?.port)
    let url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
    for type in [URLSessionConfiguration.MultipathServiceType.handover, .none] {
      let configuration = URLSessionConfiguration.testing()
      configuration.multipathServiceType = type
      let session = URLSession(configuration: configuration)
      let recorder = DelegateRecorder()
      let (data, _) = try await session.data(from: url, delegate: recorder)
      #expect(String(decoding: data, as: UTF8.self) == "ok")
      await session.barrier()
      #expect(recorder.metrics?.transactionMetrics.map(\.isMultipath) == [serverHasIt && type != .none])
      session.invalidateAndCancel()
    }
    try await listener.close()
  }

  /// Answers whatever comes.
  private final class Answering: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      context.writeAndFlush(NIOAny(ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")), promise: nil)
    }
  }

  // MARK: validated addresses

  @Test func addressesThatMustBeValidatedAreRefusedClearly() async throws {
    try await Wire.plain.serve { server, configuration async throws in
      configuration.requiresDNSSECValidation = true
      let session = URLSession(configuration: configuration)
      let error = await session.failure(of: server.url("/", host: "localhost"))
      #expect(error?.code == .dnsLookupFailed)
      #expect(error?.localizedDescription.contains("DNSSEC") == true)
      // An address needs no look-up.
      server.enqueue(.text("ok"))
      #expect(try await session.text(from: server.url()).0 == "ok")
      session.invalidateAndCancel()
      var request = URLRequest(url: server.url("/", host: "localhost"))
      request.requiresDNSSECValidation = true
      let plain = URLSession(configuration: .testing())
      #expect(await plain.failure(of: request)?.code == .dnsLookupFailed)
      plain.invalidateAndCancel()
      #expect(server.requests.count == 1)
    }
  }
}
