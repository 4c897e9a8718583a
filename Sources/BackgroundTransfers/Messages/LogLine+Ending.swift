/// How a transfer has ended, as the first word of a log line. The daemon writes such lines; `urlload` searches the log for them when a transfer isn't
/// listed any more.
package enum LoggedEnding: String, CaseIterable, Sendable {
  case finished
  case failed
  case cancelled

  /// The log line for this ending, with further text.
  package func line(_ text: String) -> String {
    switch self {
    case .finished, .failed: "\(rawValue): \(text)"
    case .cancelled: "\(rawValue) \(text)"
    }
  }
}

extension LogLine {
  /// The ending that the line reports; nil if it is a line of another kind.
  package var ending: LoggedEnding? { LoggedEnding.allCases.first { text.hasPrefix($0.line("")) } }
}
