import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// HTTP/3 over a network that loses, doubles and reorders datagrams, behind a NAT that forgets.
///
/// `URL_LOADING_RELAY_LOADS` and `URL_LOADING_RELAY_BYTES` set how many loads and how large a body; `URL_LOADING_RELAY_SEED` what befalls
/// which datagram.
@Suite(.timeLimit(.minutes(60)), .enabled(if: Wire.hasHTTP3, "a build without HTTP/3")) struct DatagramRelayTests {
  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment["URL_LOADING_RELAY_\(name)"].flatMap { Int($0) }
  }

  private static let loads = number("LOADS") ?? 500
  private static let workers = 64
  private static let bytes = number("BYTES") ?? 8 << 20
  private static let seed = UInt64(number("SEED") ?? 20_260_101)
  private static let lossy = DatagramRelay.Conduct(loss: 0.05, duplication: 0.02, reordering: 0.05)

  /// A URL that leads to the server through the relay.
  private func url(_ relay: DatagramRelay, _ path: String) throws -> URL {
    try #require(URL(string: "https://127.0.0.1:\(relay.port)\(path)"))
  }

  private func serve(
    _ conduct: DatagramRelay.Conduct, _ body: (TestServer, DatagramRelay, URLSession) async throws -> Void
  ) async throws {
    try await Wire.h3.serve({ $0.recordedRequestLimit = 100 }) { server, configuration async throws in
      try await DatagramRelay.with(server.port, conduct, seed: DatagramRelayTests.seed) { relay async throws in
        let session = URLSession(configuration: configuration)
        try await body(server, relay, session)
        session.invalidateAndCancel()
      }
    }
  }

  @Test(arguments: [nil, 2000]) func loadsEndOnceEachAndSafeOnesSucceed(_ rebindsEvery: Int?) async throws {
    var conduct = DatagramRelayTests.lossy
    conduct.rebindsEvery = rebindsEvery
    try await serve(conduct) { server, relay, session async throws in
      server.route("/small", reply: .text("small"))
      server.route("/large", reply: Reply(body: .pattern(count: 100_000)))
      server.route("/up", .POST) { .text("\($0.bodyLength)") }
      let (small, large, up) = (try url(relay, "/small"), try url(relay, "/large"), try url(relay, "/up"))
      let ends = try await withThrowingTaskGroup(of: Int.self) { group in
        for worker in 0..<DatagramRelayTests.workers {
          group.addTask {
            var ends = 0
            for n in stride(from: worker, to: DatagramRelayTests.loads, by: DatagramRelayTests.workers) {
              try await DatagramRelayTests.load(n, session, small: small, large: large, up: up)
              ends += 1
            }
            return ends
          }
        }
        return try await group.reduce(0, +)
      }
      #expect(ends == DatagramRelayTests.loads)
      #expect(relay.counts.lost > 0 && relay.counts.duplicated > 0 && relay.counts.reordered > 0)
    }
  }

  private static func load(_ n: Int, _ session: URLSession, small: URL, large: URL, up: URL) async throws {
    switch n % 8 {
    case 0:
      let data = try await session.data(from: large).0
      #expect(data.count == 100_000 && AlphabetPattern.match(data, at: 0))
    case 1:
      // A request that may have been acted on isn't sent again.
      let text = try? await session.text(for: URLRequest("POST", up, body: Data(count: 20_000))).0
      #expect(text == "20000" || text == nil)
    default: #expect(try await session.text(from: small).0 == "small")
    }
  }

  @Test func largeBodyArrivesWhole() async throws {
    try await serve(DatagramRelayTests.lossy) { server, relay, session async throws in
      let count = DatagramRelayTests.bytes
      server.route("/", reply: Reply(body: .pattern(count: count)))
      let (file, _) = try await session.download(from: url(relay, "/"))
      defer { try? FileManager.default.removeItem(at: file) }
      let handle = try FileHandle(forReadingFrom: file)
      var offset = 0
      while let part = try handle.read(upToCount: 1 << 20), !part.isEmpty {
        try #require(AlphabetPattern.match(part, at: offset))
        offset += part.count
      }
      #expect(offset == count)
    }
  }

  @Test func largeUploadArrivesWhole() async throws {
    try await serve(DatagramRelayTests.lossy) { server, relay, session async throws in
      server.route("/", .POST) { .text("\($0.bodyLength)") }
      let body = Data(repeating: 7, count: min(DatagramRelayTests.bytes, 64 << 20))
      #expect(try await session.text(for: URLRequest("POST", url(relay, "/"), body: body)).0 == "\(body.count)")
    }
  }

  /// RFC 9000, 9.3.3: the client doesn't know that its address has changed.
  @Test func natThatForgetsTheClientIsOutlived() async throws {
    try await serve(DatagramRelay.Conduct()) { server, relay, session async throws in
      server.route("/", reply: .text("ok"))
      for _ in 0..<5 {
        #expect(try await session.text(from: url(relay, "/")).0 == "ok")
        try await relay.rebind()
      }
      #expect(try await session.text(from: url(relay, "/")).0 == "ok")
      #expect(relay.counts.rebinds == 5)
      #expect(server.acceptedConnections == 1)
    }
  }

  @Test func changedDatagramsAreNoDatagrams() async throws {
    try await serve(DatagramRelay.Conduct(corruption: 0.05)) { server, relay, session async throws in
      server.route("/", reply: Reply(body: .pattern(count: 1_000_000)))
      let data = try await session.data(from: url(relay, "/")).0
      #expect(data.count == 1_000_000 && AlphabetPattern.match(data, at: 0))
      #expect(relay.counts.corrupted > 0)
    }
  }
}
