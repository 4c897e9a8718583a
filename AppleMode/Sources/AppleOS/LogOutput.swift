import Foundation

/// Writes messages to standard error, a line each.
///
/// The environment says which: `OS_LOG_LEVEL` is the lowest level, one of `debug`, `info`, `default`, `error`, `fault` and `none`; without it
/// `default`, as Apple's tools show it. Values that are private read `<private>`, unless `OS_LOG_PRIVATE` is `1`.
struct LogOutput: Sendable {
  static let shared = LogOutput(ProcessInfo.processInfo.environment)

  let showsPrivate: Bool
  private let lowest: Int

  init(_ environment: [String: String]) {
    showsPrivate = environment["OS_LOG_PRIVATE"] == "1"
    lowest = LogOutput.names.firstIndex(of: environment["OS_LOG_LEVEL"] ?? "") ?? (environment["OS_LOG_LEVEL"] == "none" ? 5 : 2)
  }

  private static let names = ["debug", "info", "default", "error", "fault"]

  private static func rank(_ type: OSLogType) -> Int {
    switch type {
    case .debug: 0
    case .info: 1
    case .error: 3
    case .fault: 4
    default: 2
    }
  }

  func writes(_ type: OSLogType) -> Bool { LogOutput.rank(type) >= lowest }

  /// The line of a message; line breaks in it stay.
  func line(_ text: String, _ log: OSLog, _ type: OSLogType) -> String {
    let place = log.subsystem.isEmpty && log.category.isEmpty ? "" : " [\(log.subsystem):\(log.category)]"
    return "\(LogOutput.names[LogOutput.rank(type)])\(place) \(text)\n"
  }

  /// One system call a line, so that lines of several threads don't mix.
  func write(_ text: String, _ log: OSLog, _ type: OSLogType) {
    let line = Data(line(text, log, type).utf8)
    // Standard error may be closed: a log isn't worth failing for.
    try? FileHandle.standardError.write(contentsOf: line)
  }
}
