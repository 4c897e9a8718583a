import Foundation

extension Measurement {
  /// Makes 20 requests that are answered, then starts `arguments.count` that aren't, and measures the anonymous memory that each adds.
  ///
  /// Nothing tells that the server has all requests: but then the process has nothing to do, for a second.
  ///
  /// - Parameters:
  ///   - load: Makes a request that is answered; returns the body's length.
  ///   - start: Starts a request that isn't, and returns at once.
  ///   - running: How many of those are under way.
  /// - Throws: What `load` threw, or ``BenchmarkFailure`` when a stalled request has ended.
  public static func inFlight(
    _ arguments: Arguments, load: () async throws -> Int, start: () -> Void, running: () -> Int
  ) async throws -> Measurement {
    for _ in 0..<20 {
      guard try await load() == arguments.scenario.expectedLength else { throw BenchmarkFailure("a body had the wrong length") }
    }
    let before = memory("RssAnon")
    for _ in 0..<arguments.count { start() }
    var (quiet, used) = (0, 0.0)
    while quiet < 4 {
      try await Task.sleep(for: .milliseconds(250))
      let now = processMicroseconds()
      quiet = now - used > 10_000 ? 0 : quiet + 1
      used = now
    }
    guard running() == arguments.count else { throw BenchmarkFailure("a load that is to be stalled has ended") }
    var measurement = Measurement(requests: arguments.count, bytes: 0, cpuMicroseconds: nil, wallSeconds: 0)
    measurement.kibibytesPerConnection = (memory("RssAnon") - before) / Double(arguments.count)
    return measurement
  }
}
