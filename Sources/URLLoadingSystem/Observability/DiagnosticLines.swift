import Foundation
import LoadingModel

/// Writes log lines to standard error, if the environment variable `URL_LOADING_SYSTEM_LOG` asks for them.
///
/// `debug` shows every event, `info` redirects, repeated requests and failures, `notice` and `warning` failures. `1` and any other word count as
/// `debug`; `0`, `off` and an empty value turn the lines off. Each line is written by one system call.
struct DiagnosticLines: LineWriter {
  static let variable = "URL_LOADING_SYSTEM_LOG"

  /// The writer of this process; nil if the variable doesn't ask for lines. The variable is read once.
  static let ofProcess = DiagnosticLines(environment: ProcessEnvironment.variables)

  private let threshold: LineLevel
  private let out: @Sendable (String) -> Void

  /// - Parameter out: Receives each line, with its line feed.
  init?(environment: [String: String], out: @escaping @Sendable (String) -> Void = DiagnosticLines.toStandardError) {
    let wish = environment[DiagnosticLines.variable]
    guard !ProcessEnvironment.isOff(wish) else { return nil }
    switch wish?.lowercased() {
    case "info": threshold = .info
    case "notice": threshold = .notice
    case "warning", "error", "critical": threshold = .warning
    default: threshold = .debug
    }
    self.out = out
  }

  func writes(_ level: LineLevel) -> Bool { level >= threshold }

  func write(_ line: TaskLine) {
    let time = Date().formatted(.iso8601.year().month().day().timeZone(separator: .omitted).time(includingFractionalSeconds: true))
    var text = "\(time) URLLoadingSystem[\(getpid())] \(line.level): \(line.message)"
    for (name, value) in line.facts { text += " \(name)=\(DiagnosticLines.quoted(value))" }
    out(text + "\n")
  }

  /// The value in quotes unless it is one word, with control characters escaped: values come from servers and URLs, and must not begin new lines.
  static func quoted(_ value: String) -> String {
    let isWord = value.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value < 0x7F && $0 != "\"" && $0 != "\\" }
    guard !isWord || value.isEmpty else { return value }
    var text = "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\\(scalar)"
      case _ where scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format:
        text += "\\u{\(String(scalar.value, radix: 16))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }

  static func toStandardError(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      // The result is ignored: losing a line is better than blocking a load on a terminal.
      _ = Foundation.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
    }
  }
}
