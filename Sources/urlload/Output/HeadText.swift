import Foundation
import URLLoadingSystem

/// Heads of requests and responses as text.
///
/// The only place that looks beneath the public API: `allHeaderFields` has neither the order nor the repetitions of what was received.
enum HeadText {
  /// A request's head for `-v`, one line each, credentials masked: what the tool asks for, without what the loader adds.
  static func verbose(_ request: URLRequest, _ degree: Masking.Degree = .secrets) -> [String] {
    // A data: URL can be megabytes long.
    let url = request.url.map { Masking.url($0.absoluteString, degree).shortened(1000) } ?? ""
    let fields = request.load.headers.entries.map { Masking.field($0.name, $0.value, degree) }
    return lines("> ", ["\(request.httpMethod ?? "GET") \(url)"] + fields)
  }

  /// A response's head for `-v`, one line each, credentials masked.
  static func verbose(_ response: URLResponse, _ degree: Masking.Degree = .secrets) -> [String] {
    guard let http = response as? HTTPURLResponse else {
      let length = response.expectedContentLength
      return lines("< ", ["\(response.mimeType ?? "unknown type"), \(length < 0 ? "unknown length" : "\(length) bytes")"])
    }
    return lines("< ", [statusLine(http)] + http.head.headers.entries.map { Masking.field($0.name, $0.value, degree) })
  }

  /// A response's head as it was received, for `-i`; nil if it has none.
  static func included(_ response: URLResponse) -> Data? {
    guard let http = response as? HTTPURLResponse else { return nil }
    let fields = http.head.headers.entries.map { "\($0.name): \($0.value)\r\n" }.joined()
    return Data("\(statusLine(http))\r\n\(fields)\r\n".utf8)
  }

  /// What is known of a resource whose scheme has no heads, for `-I`, in the form that curl gives it.
  static func facts(_ response: URLResponse) -> Data {
    let length = response.expectedContentLength
    let lines = [length < 0 ? nil : "Content-Length: \(length)", response.mimeType.map { "Content-Type: \($0)" }]
    return Data(lines.compactMap { $0.map { $0 + "\r\n" } }.joined().utf8)
  }

  private static func statusLine(_ response: HTTPURLResponse) -> String {
    let head = response.head
    return "\(head.version) \(head.status)" + (head.reason.isEmpty ? "" : " \(head.reason)")
  }

  private static func lines(_ prefix: String, _ texts: [String]) -> [String] {
    texts.map { prefix + Printable.text($0) } + [prefix.trimmingCharacters(in: .whitespaces)]
  }
}
