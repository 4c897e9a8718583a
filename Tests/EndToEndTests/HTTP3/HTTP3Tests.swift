import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// What a session does with HTTP/3 that it doesn't with HTTP/2.
@Suite(.timeLimit(.minutes(10)), .enabled(if: Wire.hasHTTP3, "a build without HTTP/3")) struct HTTP3Tests {
  @Test func serverIsSpokenToInHTTP3() async throws {
    try await Wire.h3.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.route("/", reply: .text("ok"))
      #expect(try await session.text(from: server.url()).0 == "ok")
      let request = try #require(server.requests.first)
      #expect(request.version == "HTTP/3")
      #expect(request.connection.negotiatedProtocol == "h3")
      #expect(request.headers["Host"] == "127.0.0.1:\(server.port)")
      session.invalidateAndCancel()
    }
  }

  /// One connection is begun for each address; the app is asked by the one that is answered.
  @Test func appIsAskedAboutTheServerOfANameWithSeveralAddresses() async throws {
    try await Wire.h3.serve { server, configuration async throws in
      let judge = ChallengeDelegate(.performDefaultHandling)
      let session = URLSession(configuration: configuration, delegate: judge, delegateQueue: nil)
      server.route("/", reply: .text("ok"))
      #expect(try await session.text(from: server.url("/", host: "localhost")).0 == "ok")
      #expect(judge.trusts.count == 1)
      session.invalidateAndCancel()
    }
  }

  /// RFC 9000, 8.1.2.
  @Test func serverThatAsksForAProofOfTheAddressGetsIt() async throws {
    try await Wire.h3.serve({ $0.http3.sendsRetry = true }) { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.route("/", reply: .text("ok"))
      for _ in 0..<3 { #expect(try await session.text(from: server.url()).0 == "ok") }
      #expect(server.acceptedConnections == 1)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: [0, 1, 5_000_000]) func bodiesPassBothWaysWhole(_ count: Int) async throws {
    try await Wire.h3.serve({ $0.recordedBodyLimit = 8_000_000 }) { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.route("/", .POST) { request in Reply(body: .bytes(request.body)) }
      let letters = Data((0..<count).map { UInt8(ascii: "a") + UInt8($0 % 26) })
      #expect(try await session.data(for: URLRequest("POST", server.url(), body: letters)).0 == letters)
      session.invalidateAndCancel()
    }
  }

  /// Many pieces of a few bytes wait at a time, and the end of the body behind them: it is sent whatever their number.
  @Test func bodiesInManySmallPiecesEnd() async throws {
    try await Wire.h3.serve { server, configuration async throws in
      let piece = Data(repeating: UInt8(ascii: "a"), count: 1000)
      server.route("/", reply: Reply(body: .chunks(Array(repeating: piece, count: 40)), faults: [.trickle(chunkSize: piece.count)]))
      for _ in 0..<30 {
        let session = URLSession(configuration: configuration)
        try await withThrowingTaskGroup(of: Int.self) { group in
          for _ in 0..<20 { group.addTask { try await session.data(from: server.url()).0.count } }
          for try await count in group { #expect(count == 40_000) }
        }
        session.invalidateAndCancel()
      }
    }
  }

  /// What isn't read counts against the stream's window, and holds up no other stream.
  @Test func loadThatIsNotReadHoldsUpItsServerAndNoOther() async throws {
    try await Wire.h3.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      let count = 100_000_000
      server.route("/large", reply: Reply(body: .pattern(count: count)))
      server.route("/small", reply: .text("small"))
      let (bytes, _) = try await session.bytes(from: server.url("/large"))
      var iterator = bytes.makeAsyncIterator()
      #expect(try await iterator.next() == UInt8(ascii: "a"))
      for _ in 0..<20 { #expect(try await session.text(from: server.url("/small")).0 == "small") }
      #expect(server.sentBytes < count / 2)
      bytes.task.cancel()
      try await server.waitForExchanges(open: 0)
      #expect(server.acceptedConnections == 1)
      session.invalidateAndCancel()
    }
  }

  @Test func nothingAtThePortIsACannotConnect() async throws {
    var isTried = false
    for _ in 0..<20 where !isTried {
      try await Wire.h2.serve { server, configuration async throws in
        guard let descriptor = Self.unservedDatagramSocket(port: server.port) else { return }
        defer { close(descriptor) }
        isTried = true
        configuration.httpVersions = .http3Only
        let session = URLSession(configuration: configuration)
        server.route("/", reply: .text("ok"))
        #expect(await session.failure(of: server.url())?.code == .cannotConnectToHost)
        #expect(server.requestCount == 0)
        session.invalidateAndCancel()
      }
    }
    #expect(isTried)
  }

  /// Keeps a port of UDP from being another test's. The socket is connected elsewhere, so that the system answers others as if there were none.
  private static func unservedDatagramSocket(port: Int) -> Int32? {
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    func address(_ port: Int) -> sockaddr_in {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = UInt16(port).bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      return address
    }
    func call(_ port: Int, _ function: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32) -> Bool {
      withUnsafePointer(to: address(port)) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 }
      }
    }
    guard call(port, bind), call(9, connect) else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  @Test func connectionThatItsServerForgetsIsReplacedForTheNextLoad() async throws {
    try await Wire.h3.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.route("/", reply: .text("ok"))
      #expect(try await session.text(from: server.url()).0 == "ok")
      server.breakConnections()
      try await server.waitForConnections(open: 0)
      #expect(try await session.text(from: server.url()).0 == "ok")
      #expect(server.acceptedConnections == 2)
      session.invalidateAndCancel()
    }
  }

  /// Alt-Svc (RFC 7838): the first load comes by TCP, later ones by QUIC.
  @Test func originThatAdvertisesHTTP3IsReachedByItLater() async throws {
    try await Wire.h3.serve({ $0.http3.isAdvertised = true }) { server, configuration async throws in
      configuration.httpVersions = .all
      let session = URLSession(configuration: configuration)
      server.route("/", reply: .text("ok"))
      #expect(try await session.text(from: server.url()).0 == "ok")
      let end = HangLimit.end
      while server.requests.last?.version != "HTTP/3", ContinuousClock.now < end { _ = try await session.data(from: server.url()) }
      #expect(server.requests.first?.version == "HTTP/2" && server.requests.last?.version == "HTTP/3")
      session.invalidateAndCancel()
    }
  }
}
