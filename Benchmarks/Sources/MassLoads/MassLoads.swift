import Foundation
import Synchronization
import URLLoadingSystem

/// Starts thousands of loads at once for servers that don't answer yet, measures what a waiting load costs, then lets all finish.
///
///     swift run -c release --package-path Benchmarks MassLoads --loads 10000 --hosts 100
///     swift run -c release --package-path Benchmarks MassLoads --loads 1000 --stall https://127.0.0.1:4433/ --http3
///
/// The second form measures loads that all have begun, at a server whose path `stall` never answers and whose path `ready` does.
@main
enum MassLoads {
  static func main() async throws {
    let arguments = CommandLine.arguments
    if arguments.contains("--serve") { return try await HoldingServer.run(hosts: number("--hosts", 1)) }
    if let index = arguments.firstIndex(of: "--stall"), index + 1 < arguments.count, let url = URL(string: arguments[index + 1]) {
      return try await StalledLoads.run(number("--loads", 1000), at: url, overHTTP3: arguments.contains("--http3"))
    }
    let (loads, hosts) = (number("--loads", 10_000), number("--hosts", 1))
    let served = 6 * hosts
    let server = try ServerProcess(hosts: hosts)
    let session = URLSession(configuration: .ephemeral)
    // What is made once, by the first load, isn't counted.
    server.answer()
    for url in server.urls { _ = try await session.data(from: url) }
    server.hold()
    let ends = Ends()
    func start(_ count: Int) {
      for index in 0..<count {
        session.dataTask(with: server.urls[index % hosts]) { data, _, error in ends.add(error == nil && data?.count == 2) }.resume()
      }
    }
    // These have every connection that the session may open.
    start(served)
    server.waitUntilHeld(served)
    let before = try residentBytes()
    start(loads)
    // Each flush runs on the session's thread: the loads that have begun have come as far as they can.
    for _ in 0..<10 { await session.flush() }
    let tasks = await session.allTasks
    let waiting = try residentBytes()
    server.answer()
    let failures = await ends.all(served + loads)
    let perLoad = Double(waiting - before) / Double(loads) / 1024
    print(
      "\(loads) loads of \(hosts) host(s): \(tasks.count) tasks, \(failures) failed, \(String(format: "%.1f", perLoad)) KiB per waiting load"
    )
    session.invalidateAndCancel()
    server.stop()
    if failures > 0 { exit(1) }
  }

  static func number(_ option: String, _ fallback: Int) -> Int {
    let arguments = CommandLine.arguments
    guard let index = arguments.firstIndex(of: option), index + 1 < arguments.count else { return fallback }
    return Int(arguments[index + 1]) ?? fallback
  }

  /// Memory of this process that is in use and not in files.
  static func residentBytes() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    let kilobytes = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }
    return (kilobytes ?? 0) * 1024
  }
}

/// Counts loads that have ended.
final class Ends: Sendable {
  private struct State {
    var count = 0
    var failures = 0
    var awaited = Int.max
    var continuation: CheckedContinuation<Int, Never>?
  }

  private let state = Mutex(State())

  func add(_ isGood: Bool) {
    let done = state.withLock { state -> (CheckedContinuation<Int, Never>, Int)? in
      state.count += 1
      if !isGood { state.failures += 1 }
      guard state.count >= state.awaited, let continuation = state.continuation else { return nil }
      state.continuation = nil
      return (continuation, state.failures)
    }
    done?.0.resume(returning: done?.1 ?? 0)
  }

  /// How many have failed, once so many have ended.
  func all(_ count: Int) async -> Int {
    await withCheckedContinuation { continuation in
      let failures = state.withLock { state -> Int? in
        if state.count >= count { return state.failures }
        state.awaited = count
        state.continuation = continuation
        return nil
      }
      if let failures { continuation.resume(returning: failures) }
    }
  }
}
