/// How a transfer has ended, as a line of the log says it. The daemon begins such lines so; the tool looks for them where a transfer is no
/// longer listed.
package enum LoggedEnding: String, CaseIterable, Sendable {
  case finished
  case failed
  case cancelled

  /// The line that says so.
  package func line(_ text: String) -> String {
    switch self {
    case .finished, .failed: "\(rawValue): \(text)"
    case .cancelled: "\(rawValue) \(text)"
    }
  }
}

extension LogLine {
  /// The ending that the line tells of; nil for all other lines.
  package var ending: LoggedEnding? { LoggedEnding.allCases.first { text.hasPrefix($0.line("")) } }
}
