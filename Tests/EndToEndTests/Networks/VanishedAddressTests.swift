import Foundation
import LoadingModel
import ProtocolRules
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Addresses that leave the machine while connections are made from them. The address is that of loopback: only the test's own network
/// reports that it has left. Connections of HTTP/3 move instead (`NetworkScenario`).
@Suite(.timeLimit(.minutes(10))) struct VanishedAddressTests {
  private let network = VirtualNetwork(.toTestServers(.wifi))

  private func serve(_ wire: Wire, _ body: (TestServer, URLSession) async throws -> Void) async throws {
    try await wire.serve { server, configuration async throws in
      configuration.use(network)
      let session = URLSession(configuration: configuration)
      try await body(server, session)
      session.invalidateAndCancel()
    }
  }

  private func loseAddress() {
    network.change(to: NetworkConditions.Interface("eth0", .wired, addresses: ["192.0.2.1"], hasDefaultRoute: true))
  }

  @Test(arguments: Wire.overTCP) func idleConnectionIsClosed(_ wire: Wire) async throws {
    try await serve(wire) { server, session async throws in
      server.route("/", reply: .text("ok"))
      _ = try await session.data(from: server.url())
      // What comes up beside it changes nothing.
      network.change(
        to: .toTestServers(.wifi), NetworkConditions.Interface("eth0", .wired, addresses: ["192.0.2.1"], hasDefaultRoute: true))
      _ = try await session.data(from: server.url())
      #expect(server.acceptedConnections == 1)
      loseAddress()
      try await server.waitForConnections(open: 0)
      #expect(try await session.text(from: server.url()).0 == "ok")
      #expect(server.acceptedConnections == 2)
    }
  }

  @Test(arguments: Wire.overTCP, ["GET", "PUT"]) func repeatableRequestInFlightIsSentAgain(_ wire: Wire, _ method: String) async throws {
    try await serve(wire) { server, session async throws in
      let gate = Gate()
      server.enqueue(.text("lost").with(.delayBeforeHeaders(gate)), .text("found"))
      let load = Task { try await session.text(for: URLRequest(method, server.url(), body: method == "PUT" ? Data("x".utf8) : nil)).0 }
      try await gate.reached()
      loseAddress()
      #expect(try await load.value == "found")
      #expect(server.requests.map(\.method) == [method, method])
      #expect(server.acceptedConnections == 2)
    }
  }

  @Test(arguments: Wire.overTCP) func otherRequestInFlightEndsWithConnectionLost(_ wire: Wire) async throws {
    try await serve(wire) { server, session async throws in
      let gate = Gate()
      server.enqueue(.text("lost").with(.delayBeforeHeaders(gate)))
      let load = Task { await session.failure(of: URLRequest("POST", server.url(), body: Data("x".utf8))) }
      try await gate.reached()
      loseAddress()
      let error = await load.value
      #expect(error?.code == .networkConnectionLost)
      #expect(error?.localizedDescription.contains("network address") == true)
      #expect(server.requests.count == 1)
    }
  }

  @Test(arguments: Wire.overTCP) func responseThatHasBegunEndsWithConnectionLost(_ wire: Wire) async throws {
    try await serve(wire) { server, session async throws in
      let gate = Gate()
      server.enqueue(Reply(body: .repeating(0, count: 10_000)).with(.stallAfter(bodyBytes: 5_000, gate: gate)))
      let (bytes, _) = try await session.bytes(from: server.url())
      var iterator = bytes.makeAsyncIterator()
      _ = try await iterator.next()
      loseAddress()
      let error = await #expect(throws: URLError.self) { while try await iterator.next() != nil {} }
      #expect(error?.code == .networkConnectionLost)
      #expect(server.requests.count == 1)
    }
  }

  /// A load of FTP's that loses its address behind these commands, and what it finds if it begins again.
  private func serveFTP(
    _ lost: @escaping (Int) -> [RawStep], _ gate: Gate, data: [[RawStep]], _ body: (FTPScript.Ground) async throws -> Void
  ) async throws {
    let configuration = URLSessionConfiguration.testing()
    configuration.use(network)
    let control: (Int) -> [[RawStep]] = { [lost($0) + [.wait(gate)], FTPScript.retrieving(5, $0)] }
    try await FTPScript.serve(data: data, control: control, configuration: configuration, body)
  }

  @Test func ftpBeginsAgainWhereNothingHasCome() async throws {
    let gate = Gate()
    try await serveFTP({ _ in FTPScript.finding(5) }, gate, data: [[.send("hello"), .close]]) { ground async throws in
      let load = Task { try await ground.session.data(from: ground.file).0 }
      try await gate.reached()
      loseAddress()
      #expect(try await load.value == Data("hello".utf8))
      #expect(ground.server.acceptedConnections == 2)
    }
  }

  @Test func ftpEndsInTheMiddleOfAFile() async throws {
    let gate = Gate()
    let data: [[RawStep]] = [[.send("he"), .wait(gate)]]
    try await serveFTP({ FTPScript.finding(5) + FTPScript.passive($0) + FTPScript.answer("RETR a.txt", "150 here") }, gate, data: data) {
      ground async throws in
      let (bytes, _) = try await ground.session.bytes(from: ground.file)
      var iterator = bytes.makeAsyncIterator()
      _ = try await iterator.next()
      loseAddress()
      let error = await #expect(throws: URLError.self) { while try await iterator.next() != nil {} }
      #expect(error?.code == .networkConnectionLost)
      #expect(ground.server.acceptedConnections == 1)
    }
  }

  @Test func openStreamEnds() async throws {
    let configuration = URLSessionConfiguration.testing()
    configuration.use(network)
    try await StreamBench.with([.echo], configuration: configuration) { bench async throws in
      bench.task.resume()
      try await bench.task.send("a")
      _ = try await bench.task.text()
      loseAddress()
      #expect(await errorCode { _ = try await bench.task.text() } == URLError.networkConnectionLost.rawValue)
    }
  }

  @Test func capturedStreamsEnd() async throws {
    let configuration = URLSessionConfiguration.testing()
    configuration.use(network)
    try await StreamBench.with([.echo], configuration: configuration) { bench async throws in
      bench.task.resume()
      bench.task.captureStreams()
      let streams = try #require(await bench.recorder.captured())
      loseAddress()
      try await bench.server.waitForConnections(open: 0)
      try await onThread {
        streams.input.open()
        #expect(streams.input.readAll(1) == Data())
        #expect((streams.input.streamError as? URLError)?.code == .networkConnectionLost)
      }
    }
  }

  @Test func openWebSocketEnds() async throws {
    let configuration = URLSessionConfiguration.testing()
    configuration.use(network)
    try await WebSocketBench.with(.echo, configuration: configuration) { bench async throws in
      bench.task.resume()
      try await bench.task.send(.string("a"))
      _ = try await bench.task.receive()
      loseAddress()
      let error = await #expect(throws: URLError.self) { try await bench.task.receive() }
      #expect(error?.code == .networkConnectionLost)
    }
  }
}
