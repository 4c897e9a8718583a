import Foundation
import URLLoadingSystem

/// Heads of requests and responses as text.
///
/// Reads them below the public API, because `allHeaderFields` keeps neither the order nor the repetitions of received fields.
enum HeadText {
  /// The lines of a request's head for `-v`, with credentials masked: what the tool asks for, without fields that the loader adds.
  static func verbose(_ request: URLRequest, _ degree: Masking.Degree = .secrets) -> [String] {
    // A data: URL may be megabytes long, and is shortened.
    let url = request.url.map { Masking.url($0.absoluteString, degree).shortened(1000) } ?? ""
    let fields = request.load.headers.entries.map { Masking.field($0.name, $0.value, degree) }
    return lines("> ", ["\(request.httpMethod ?? "GET") \(url)"] + fields)
  }

  /// The lines of a response's head for `-v`, with credentials masked.
  static func verbose(_ response: URLResponse, _ degree: Masking.Degree = .secrets) -> [String] {
    guard let http = response as? HTTPURLResponse else {
      let length = response.expectedContentLength
      return lines("< ", ["\(response.mimeType ?? "unknown type"), \(length < 0 ? "unknown length" : "\(length) bytes")"])
    }
    return lines("< ", [statusLine(http)] + http.head.headers.entries.map { Masking.field($0.name, $0.value, degree) })
  }

  /// A response's head as it was received, for `-i`; nil if its scheme has no heads.
  static func included(_ response: URLResponse) -> Data? {
    guard let http = response as? HTTPURLResponse else { return nil }
    let fields = http.head.headers.entries.map { "\($0.name): \($0.value)\r\n" }.joined()
    return Data("\(statusLine(http))\r\n\(fields)\r\n".utf8)
  }

  /// Length and type of a resource whose scheme has no heads, for `-I`, in curl's form.
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
