#if TestKit
  import Foundation
  import URLLoadingSystem

  /// What the demonstration says, in few characters. Pure.
  enum DemoText {
    /// "0.12 ms", "12.3 ms", "123 ms", "1.23 s".
    static func duration(_ seconds: Double) -> String {
      let milliseconds = max(0, seconds) * 1000
      if milliseconds >= 999.5 { return String(format: "%.2f s", milliseconds / 1000) }
      return String(format: "%.\(milliseconds < 9.995 ? 2 : milliseconds < 99.95 ? 1 : 0)f ms", milliseconds)
    }

    static func bytes(_ count: Int64) -> String { count < 1000 ? "\(count) B" : String(format: "%.1f kB", Double(count) / 1000) }

    /// Spaces before the text up to `width` characters.
    static func right(_ text: String, _ width: Int) -> String { String(repeating: " ", count: max(0, width - text.count)) + text }

    /// Lines of at most `width` characters, broken at spaces where there are any.
    static func wrapped(_ text: String, _ width: Int) -> [String] {
      text.split(separator: " ").reduce(into: []) { lines, word in
        if let line = lines.last, line.count + 1 + word.count <= width {
          lines[lines.count - 1] = line + " " + word
        } else {
          lines.append(String(word))
        }
      }
    }

    /// Where the time of a transaction went.
    static func line(_ transaction: URLSessionTaskTransactionMetrics) -> String {
      let spans = [
        ("DNS", transaction.domainLookupStartDate, transaction.domainLookupEndDate),
        ("connect", transaction.connectStartDate, transaction.secureConnectionStartDate ?? transaction.connectEndDate),
        ("TLS", transaction.secureConnectionStartDate, transaction.secureConnectionEndDate),
        ("request", transaction.requestStartDate, transaction.requestEndDate),
        ("waiting", transaction.requestEndDate, transaction.responseStartDate),
        ("response", transaction.responseStartDate, transaction.responseEndDate),
      ]
      let times = spans.compactMap { name, start, end in
        start.flatMap { start in end.map { "\(name) \(duration($0.timeIntervalSince(start)))" } }
      }
      let status = (transaction.response as? HTTPURLResponse)?.statusCode ?? 0
      return "\(status) for \(transaction.request.url?.path ?? "-"): " + times.joined(separator: ", ")
    }
  }

  /// How text is set off from other text: by colours, where standard output is a terminal that has some and the user hasn't asked for none
  /// (https://no-color.org).
  struct DemoStyle: Sendable {
    private let isColoured: Bool

    init() {
      let environment = ProcessInfo.processInfo.environment
      isColoured = isatty(STDOUT_FILENO) == 1 && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    func bold(_ text: String) -> String { styled(text, 1) }
    func faint(_ text: String) -> String { styled(text, 2) }
    func red(_ text: String) -> String { styled(text, 31) }
    func green(_ text: String) -> String { styled(text, 32) }

    private func styled(_ text: String, _ code: Int) -> String { isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
  }
#endif
