import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Loads from a server that someone else wrote, which serves `small.txt` and `large.txt`: what each test of those does.
struct InstalledServerLoads {
  static let small = "small"
  static let large = String(repeating: "0123456789abcdef", count: 1 << 19)

  let session: URLSession
  /// The folder at the server.
  let url: URL
  /// What metrics must say.
  let protocolName: String

  /// Returns when the server has its sockets: the newer caddy writes its process ID before it makes them.
  func waitForServer() async {
    let (url, end) = (url.appending(path: "small.txt"), HangLimit.end)
    while ContinuousClock.now < end {
      do {
        _ = try await session.data(from: url)
        return
      } catch {
        guard (error as? URLError)?.code == .cannotConnectToHost else { return }
      }
    }
  }

  func allKindsArrive() async throws {
    let recorder = DelegateRecorder()
    let (small, response) = try await session.data(from: url.appending(path: "small.txt"), delegate: recorder)
    #expect(String(decoding: small, as: UTF8.self) == InstalledServerLoads.small)
    #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Length") == "5")
    #expect(recorder.metrics?.transactionMetrics.last?.networkProtocolName == protocolName)
    let large = try await session.data(from: url.appending(path: "large.txt")).0
    #expect(large.count == 8 << 20)
    #expect(large.suffix(16) == Data("0123456789abcdef".utf8))
    var head = URLRequest(url: url.appending(path: "large.txt"))
    head.httpMethod = "HEAD"
    #expect(try await session.data(for: head).0.isEmpty)
    #expect(try await session.text(from: url.appending(path: "nowhere")).1.statusCode == 404)
  }

  func hundredsAtOnceArrive() async throws {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for n in 0..<400 {
        group.addTask { try await session.data(from: url.appending(path: n % 50 == 7 ? "large.txt" : "small.txt")).0.count }
      }
      var counts: [Int: Int] = [:]
      for try await count in group { counts[count, default: 0] += 1 }
      #expect(counts == [5: 392, 8 << 20: 8])
    }
  }

  func cancelledDownloadsLeaveTheConnectionInOrder() async throws {
    for _ in 0..<20 {
      let (bytes, _) = try await session.bytes(from: url.appending(path: "large.txt"))
      for try await _ in bytes { break }
      bytes.task.cancel()
      #expect(try await session.text(from: url.appending(path: "small.txt")).0 == InstalledServerLoads.small)
    }
  }
}
