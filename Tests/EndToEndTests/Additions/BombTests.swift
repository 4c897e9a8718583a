import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Peak memory of loads of 2 GiB that came as 2 MiB of gzip. Takes a minute in a build for debugging, and memory for the whole body:
/// `URL_LOADING_BOMBS=1` has it run.
@Suite(
  .serialized, .timeLimit(.minutes(10)),
  .enabled(if: ProcessInfo.processInfo.environment["URL_LOADING_BOMBS"] == "1", "asked for by URL_LOADING_BOMBS=1"))
struct BombTests {
  private static let size = 2 << 30
  private static let allowed = 64 << 20

  /// Of gzip's members, one after another (RFC 1952, 2.2).
  private static func bomb() -> Reply {
    let part = Reply.gzip(Data(count: 64 << 20))
    guard case .bytes(let bytes) = part.body else { return part }
    var whole = Data()
    for _ in 0..<(size / (64 << 20)) { whole.append(bytes) }
    return Reply(headers: ["Content-Encoding": "gzip"], body: .bytes(whole))
  }

  /// How much memory `work` adds at most.
  private func growth(_ name: String, _ work: () async throws -> Void) async throws -> Int {
    try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
    let before = ProcessFigures().memory
    try await work()
    let most = ProcessFigures().most
    try #require(before > 0 && most > 0, "the system doesn't say how much memory is in use")
    let growth = most - before
    print("\(name): \(growth >> 20) MiB")
    return growth
  }

  @Test func peakMemoryIsBounded() async throws {
    let bomb = BombTests.bomb()
    try await Wire.plain.serve { server, configuration async throws in
      server.route("/", reply: bomb)
      configuration.urlCache = nil
      let request = URLRequest(url: server.url())
      for (name, limits) in [("collected", (16 << 20, nil as Int64?)), ("decoded", (nil, 16 << 20))] as [(String, (Int64?, Int64?))] {
        configuration.maximumResponseBodyLength = limits.0
        configuration.maximumDecodedBodyLength = limits.1
        let session = URLSession(configuration: configuration)
        let growth = try await growth("data(for:), limit of what is \(name)") {
          #expect(await session.failure(of: request)?.code == .dataLengthExceedsMaximum)
        }
        #expect(growth < BombTests.allowed)
        session.invalidateAndCancel()
      }
      configuration.maximumResponseBodyLength = nil
      configuration.maximumDecodedBodyLength = nil
      let session = URLSession(configuration: configuration)
      let pieces = try await growth("chunks, no limit") {
        var count = 0
        for try await chunk in try await session.chunks(for: request).0 { count += chunk.count }
        #expect(count == BombTests.size)
      }
      #expect(pieces < BombTests.allowed)
      // All of it was asked for, and nothing else is held beside it.
      let whole = try await growth("data(for:), no limit") {
        let data = try await session.data(for: request).0
        #expect(data.count == BombTests.size)
      }
      #expect(whole < BombTests.size + BombTests.allowed)
      session.invalidateAndCancel()
    }
  }
}
