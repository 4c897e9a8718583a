import ChildProcesses
import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// How many loads have ended, and whose turn it is to change the address: each time that so many have.
private final class LoadCount: Sendable {
  private struct State {
    var ends = 0
    var changes = 0
    var isChanging = false
  }

  private let state = Mutex(State())
  private let pause: Int
  private let changes: Int

  init(pause: Int, changes: Int) { (self.pause, self.changes) = (pause, changes) }

  var ends: Int { state.withLock { $0.ends } }
  var isOver: Bool { state.withLock { $0.changes == changes && $0.ends >= (changes + 1) * pause } }

  /// A load has ended. The number of the change that the caller is to make, if it is due.
  func end() -> Int? {
    state.withLock { state in
      state.ends += 1
      guard !state.isChanging, state.changes < changes, state.ends >= (state.changes + 1) * pause else { return nil }
      state.isChanging = true
      return state.changes
    }
  }

  func changed() {
    state.withLock { state in
      state.changes += 1
      state.isChanging = false
    }
  }
}

extension NetworkScenario {
  /// Loads in flight, and changes of address under them.
  private static let loads = 200
  private static let changes = 4

  /// Loads safe requests all the while that the machine's address changes to and fro.
  func changeAddresses(_ network: PrivateNetwork, _ wire: Wire) async throws {
    let authority = try TestCertificateAuthority()
    let certificate = try authority.issue(hosts: ["two.test"])
    var options = wire.options(certificate)
    options.address = "0.0.0.0"
    options.recordedRequestLimit = 0
    let configuration = URLSessionConfiguration.testing(trusting: authority)
    wire.use(in: configuration)
    // Hundreds of loads share a few connections: on a busy machine their turn comes late.
    configuration.timeoutIntervalForRequest = 3600
    try await TestServer.with(options) { server async throws in
      server.route("/", reply: .text("ok"))
      try network.ip("addr", "add", "10.99.0.1/24", "dev", "eth7")
      let session = URLSession(configuration: configuration)
      let url = server.url("/", host: "two.test")
      let count = LoadCount(pause: NetworkScenario.loads, changes: NetworkScenario.changes)
      let failures = await withTaskGroup(of: String?.self) { group in
        for _ in 0..<NetworkScenario.loads {
          group.addTask {
            for _ in 0..<100_000 where !count.isOver {
              do {
                let text = try await session.text(from: url).0
                guard text == "ok" else { return text }
                guard let change = count.end() else { continue }
                let (coming, going) = change.isMultiple(of: 2) ? ("10.98.0.1/24", "10.99.0.1/24") : ("10.99.0.1/24", "10.98.0.1/24")
                try network.ip("addr", "add", coming, "dev", "eth7")
                try network.ip("addr", "del", going, "dev", "eth7")
                count.changed()
              } catch {
                return "\(error)"
              }
            }
            return nil
          }
        }
        return await group.reduce(into: [String]()) { failures, failure in failures += failure.map { [$0] } ?? [] }
      }
      #expect(failures.isEmpty, "\(wire): \(failures.count) of \(count.ends) loads: \(failures.prefix(3))")
      try network.ip("addr", "del", "10.99.0.1/24", "dev", "eth7")
      session.invalidateAndCancel()
    }
  }
}
