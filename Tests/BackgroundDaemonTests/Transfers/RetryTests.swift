import BackgroundDaemon
import BackgroundTransfers
import ChildProcesses
import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel
import ProtocolRules
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct RetryTests {
  @Test func aRefusedConnectionIsTriedAgain() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let port = try ClosedPort.forProgram()
    try await ground.serving { _ in
      let app = try await ground.app()
      app.begin(.download(1, URL(string: "http://127.0.0.1:\(port)/f")))
      let list = try await ground.tool().list { $0.contains { $0.attempts >= 2 && $0.reason != nil } }
      #expect(list.first?.reason != nil)
      var options = TestServer.Options()
      options.port = port
      try await TestServer.with(options) { server async throws in
        server.route("/f", reply: .text("at last"))
        #expect(try await app.event().outcome.error == nil)
      }
    }
  }

  /// A server that is restarted breaks off handshakes.
  @Test func aHandshakeThatIsCutOffIsTriedAgain() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let authority = try TestCertificateAuthority(name: "Restarted")
    let file = ground.file("authority.pem")
    try authority.pem.write(to: file)
    let answer: [RawStep] = [
      .startTLS(try authority.issue()), .readRequestHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nat last"), .readToEnd,
    ]
    try await TestServer.with(.rawInTurn([[.read(count: 5), .close], [.read(count: 5), .reset], answer])) { server async throws in
      try await ground.serving { _ in
        var terms = ground.terms()
        let configuration = URLSessionConfiguration.testing()
        configuration.tlsEnvironment = TLSEnvironment(environment: ["SSL_CERT_FILE": file.path(percentEncoded: false)])
        terms.configuration = BackgroundConfiguration(configuration).encoded
        let app = try ground.attach(terms)
        try await app.caughtUp()
        app.begin(.download(1, URL(string: "https://127.0.0.1:\(server.port)/f")))
        #expect(try await app.event(of: 1).outcome.error == nil)
        #expect(server.acceptedConnections == 3)
      }
    }
  }

  @Test func aBrokenDownloadGoesOnWhereItBroke() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let file = ServedFile(count: 2_000_000)
    try await TestServer.with { server in
      server.route("/f") { request in
        let reply = file.reply(request)
        let rest = file.bytes.count - (ServedFile.offset(request) ?? 0)
        return rest > 500_000 ? reply.with(.breakOffAfter(bodyBytes: 400_000)) : reply
      }
      try await ground.serving { _ in
        let app = try await ground.app()
        app.begin(.download(1, server.url("/f")))
        let event = try await app.event()
        #expect(event.outcome.error == nil)
        #expect(try Data(contentsOf: URL(filePath: #require(event.outcome.file))) == file.bytes)
      }
      #expect(server.requests.compactMap(ServedFile.offset) == [400_000, 800_000, 1_200_000, 1_600_000])
    }
  }

  @Test func attemptsThatLeaveNothingBehindAreCounted() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let attempts = Mutex(0)
    try await TestServer.with { server in
      // Each attempt gets further than the one before; without a validator none can be resumed.
      server.route("/f") { _ in
        let attempt = attempts.withLock { count in
          count += 1
          return count
        }
        return Reply(body: .pattern(count: 10_000_000)).with(.breakOffAfter(bodyBytes: min(attempt, 90) * 100_000))
      }
      try await ground.serving { _ in
        let app = try await ground.app()
        app.begin(.download(1, server.url("/f")))
        let list = try await ground.tool().list { $0.contains { $0.attempts >= 3 } }
        #expect(list.count == 1)
      }
    }
  }

  /// The first answer breaks off after 400,000 bytes; the next requests, for the rest, get these.
  private func resumed(after answers: Reply..., body: (TransferEvent, ServedFile, TestServer) throws -> Void) async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let file = ServedFile(count: 1_000_000)
    let left = Mutex(answers)
    try await TestServer.with { server in
      server.route("/f") { request in
        guard ServedFile.offset(request) != nil else {
          // Whatever the file was, it is gone by the time the rest has been refused for good.
          if let last = answers.last, server.requestCount > 1, last.status == 404 { return last }
          return file.reply(request).with(.breakOffAfter(bodyBytes: 400_000))
        }
        return left.withLock { $0.isEmpty ? nil : $0.removeFirst() } ?? file.reply(request)
      }
      try await ground.serving { _ in
        let app = try await ground.app()
        app.begin(.download(1, server.url("/f")))
        try body(try await app.event(), file, server)
      }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: ground.places.files.path).allSatisfy { $0.hasPrefix("finished-") })
  }

  @Test func anErrorPageIsntTheRestOfADownload() async throws {
    let page = Reply(503, headers: ["ETag": "\"page\""], body: .text("try again later"))
    try await resumed(after: page, Reply(500), Reply(429)) { event, file, server in
      #expect(event.outcome.error == nil)
      #expect((event.outcome.response.flatMap { BackgroundCoding.response($0) } as? HTTPURLResponse)?.statusCode == 206)
      let path = try #require(event.outcome.file)
      let content = try Data(contentsOf: URL(filePath: path))
      #expect(content == file.bytes)
      #expect(server.requests.compactMap(ServedFile.offset) == [400_000, 400_000, 400_000, 400_000])
    }
  }

  @Test func aRefusalOfTheRestIsHeardForTheWhole() async throws {
    try await resumed(after: .text("gone", status: 404)) { event, _, server in
      #expect(event.outcome.error == nil)
      #expect((event.outcome.response.flatMap { BackgroundCoding.response($0) } as? HTTPURLResponse)?.statusCode == 404)
      let path = try #require(event.outcome.file)
      let content = try Data(contentsOf: URL(filePath: path))
      #expect(content == Data("gone".utf8))
      #expect(server.requests.map(ServedFile.offset) == [nil, 400_000, nil])
    }
  }

  @Test func aChangeOfTheNetworkEndsTheWait() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let port = try ClosedPort.forProgram()
    let network = VirtualNetwork(.toTestServers(.wired))
    var options = DaemonGround.options
    options.retryScale = 10_000
    options.network = network
    try await ground.serving(options) { _ in
      let app = try await ground.app()
      app.begin(.download(1, URL(string: "http://127.0.0.1:\(port)/f")))
      _ = try await ground.tool().list { $0.contains { $0.attempts == 1 && $0.next != nil } }
      var server = TestServer.Options()
      server.port = port
      try await TestServer.with(server) { server async throws in
        server.route("/f", reply: .text("at last"))
        network.change(to: .toTestServers(.wifi), NetworkConditions.Interface("net1", .wired, addresses: ["192.0.2.1"]))
        #expect(try await app.event().outcome.error == nil)
      }
    }
  }
}
