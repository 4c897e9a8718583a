import Foundation
import LoadingModel

/// Lines on standard error, turned on by the environment variable `URL_LOADING_SYSTEM_LOG`.
///
/// `debug` shows every event, `info` redirects, repeated requests and failures, `notice` and `warning` failures. `1` and any other word
/// count as `debug`; `0`, `off` and an empty value turn the lines off. Each line is written by one system call.
struct DiagnosticLines: LineWriter {
  static let variable = "URL_LOADING_SYSTEM_LOG"

  /// The process's; nil if the variable doesn't ask for them. Read once.
  static let ofProcess = DiagnosticLines(environment: ProcessEnvironment.variables)

  private let threshold: LineLevel
  private let out: @Sendable (String) -> Void

  /// - Parameter out: Takes whole lines, with their line feed.
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

  /// Quoted where it wouldn't be one word, and never more than one line: parts of it come from servers and URLs.
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
      // A lost line is better than a load that waits for a terminal.
      _ = Foundation.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
    }
  }
}
