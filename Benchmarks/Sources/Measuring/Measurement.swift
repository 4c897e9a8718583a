import Foundation

/// What one run of a client cost, from `getrusage` and the clock around the measured part.
public struct Measurement: Sendable {
  let requests: Int
  let bytes: Int
  /// Nil where only memory is measured.
  let cpuMicroseconds: Double?
  let wallSeconds: Double
  /// Memory that each connection or load has cost; nil where that isn't measured.
  var kibibytesPerConnection: Double?

  /// Runs the warm-up, then `arguments.count` requests by `arguments.concurrency` workers, and measures the latter.
  ///
  /// - Parameters:
  ///   - arguments: What to run.
  ///   - executor: Where the requests are made; nil for the default.
  ///   - load: Makes one request. Its parameter is the value of a `Range` header for this request, or nil for the whole document.
  ///     Returns the number of body bytes received.
  /// - Throws: What `load` threw, or ``BenchmarkFailure`` when a body had the wrong length.
  public static func run(
    _ arguments: Arguments, on executor: (any TaskExecutor)? = nil, load: @escaping @Sendable (_ range: String?) async throws -> Int
  ) async throws -> Measurement {
    try await warmUp(arguments, executor, load)
    let cpuBefore = processMicroseconds()
    let start = ContinuousClock.now
    let expected = arguments.scenario.expectedLength
    let bytes = try await share(
      arguments.count, among: arguments.concurrency, on: executor, range: nil, expecting: expected, load)
    let wall = ContinuousClock.now - start
    return Measurement(
      requests: arguments.count, bytes: bytes, cpuMicroseconds: processMicroseconds() - cpuBefore, wallSeconds: wall / .seconds(1))
  }

  /// About 5% of the measured work: as many requests, or as much of the big document. Also opens every connection.
  private static func warmUp(
    _ arguments: Arguments, _ executor: (any TaskExecutor)?, _ load: @escaping @Sendable (String?) async throws -> Int
  ) async throws {
    // An upload can't be asked for in part: its connection is opened in the measured part.
    if case .bigFromFile = arguments.scenario.body { return }
    // The server for HTTP/3 knows no ranges.
    if arguments.scenario.isHTTP3, arguments.scenario.isBig { return }
    if arguments.scenario.isBig {
      let length = (1 << 30) / 20
      _ = try await share(1, among: 1, on: executor, range: "bytes=0-\(length - 1)", expecting: length, load)
    } else {
      let count = max(arguments.concurrency, arguments.count / 20)
      _ = try await share(
        count, among: arguments.concurrency, on: executor, range: nil, expecting: arguments.scenario.expectedLength, load)
    }
  }

  private static func share(
    _ count: Int, among workers: Int, on executor: (any TaskExecutor)?, range: String?, expecting expected: Int,
    _ load: @escaping @Sendable (String?) async throws -> Int
  ) async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for worker in 0..<workers {
        let part = count / workers + (worker < count % workers ? 1 : 0)
        group.addTask(executorPreference: executor) {
          var bytes = 0
          for _ in 0..<part {
            let received = try await load(range)
            guard received == expected else { throw BenchmarkFailure("a body had \(received) bytes instead of \(expected)") }
            bytes += received
          }
          return bytes
        }
      }
      return try await group.reduce(0, +)
    }
  }

  /// The line that the runner reads: a JSON object whose inapplicable figures are null.
  public func line(for scenario: Scenario) -> String {
    let rate = scenario.isBig || cpuMicroseconds == nil ? "null" : rounded(Double(requests) / wallSeconds, 1)
    let throughput = scenario.isBig ? rounded(Double(bytes) / wallSeconds / 1e9, 3) : "null"
    let cpu = cpuMicroseconds.map { rounded($0 / Double(requests), 2) } ?? "null"
    let peak = rounded(Self.memory("VmHWM") / 1024, 1)
    let connection = kibibytesPerConnection.map { ", \"kib_per_connection\": \(rounded($0, 1))" } ?? ""
    return """
      {"cpu_us_per_request": \(cpu), "requests_per_second": \(rate), "gigabytes_per_second": \(throughput), "peak_mib": \(peak)\(connection)}
      """
  }

  private func rounded(_ value: Double, _ places: Int) -> String {
    String(format: "%.\(places)f", value)
  }

  /// User and system time of all threads so far.
  static func processMicroseconds() -> Double {
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
    let microseconds = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
    return Double(seconds) * 1e6 + Double(microseconds)
  }

  /// One of the kernel's figures of the process's memory in KiB, such as its largest resident size so far (`VmHWM`); 0 where there is none.
  static func memory(_ name: String) -> Double {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
    for line in status.split(separator: "\n") where line.hasPrefix("\(name):") {
      return line.dropFirst(name.count + 1).split(whereSeparator: \.isWhitespace).first.flatMap { Double($0) } ?? 0
    }
    return 0
  }
}
