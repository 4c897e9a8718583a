import Foundation

extension Measurement {
  /// Connections that are opened at a time.
  private static let openingAtOnce = 50

  /// Opens `arguments.concurrency` connections, has a message go over each once a second, `arguments.count` in all, and measures CPU and
  /// resident memory. The first connection and its messages are no part of it: they load code.
  ///
  /// - Parameters:
  ///   - open: Opens a connection.
  ///   - exchange: Sends a message over a connection; returns the answer's length.
  public static func open<Connection: Sendable>(
    _ arguments: Arguments, open: @escaping @Sendable () async throws -> Connection,
    exchange: @escaping @Sendable (Connection) async throws -> Int
  ) async throws -> Measurement {
    let expected = arguments.scenario.expectedLength
    let first = try await open()
    for _ in 0..<100 { guard try await exchange(first) == expected else { throw BenchmarkFailure("a message came back changed") } }
    let memoryBefore = memory("VmRSS")
    var connections: [Connection] = []
    while connections.count < arguments.concurrency {
      let count = min(openingAtOnce, arguments.concurrency - connections.count)
      connections += try await withThrowingTaskGroup(of: Connection.self) { group in
        for _ in 0..<count { group.addTask { try await open() } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }
    let (cpuBefore, start) = (processMicroseconds(), ContinuousClock.now)
    let rounds = max(1, arguments.count / arguments.concurrency)
    let bytes = try await withThrowingTaskGroup(of: Int.self) { group in
      for (index, connection) in connections.enumerated() {
        // Spread over the second.
        let offset = Duration.seconds(Double(index) / Double(connections.count))
        group.addTask {
          var bytes = 0
          for round in 0..<rounds {
            try await Task.sleep(until: start + .seconds(round) + offset, clock: .continuous)
            let received = try await exchange(connection)
            guard received == expected else { throw BenchmarkFailure("a message of \(expected) bytes came back as \(received)") }
            bytes += received
          }
          return bytes
        }
      }
      return try await group.reduce(0, +)
    }
    let memoryAfter = memory("VmRSS")
    let (cpu, wall) = (processMicroseconds() - cpuBefore, ContinuousClock.now - start)
    var measurement = Measurement(
      requests: rounds * connections.count, bytes: bytes, cpuMicroseconds: cpu, wallSeconds: wall / .seconds(1))
    measurement.kibibytesPerConnection = (memoryAfter - memoryBefore) / Double(connections.count)
    return measurement
  }
}
