#if Inspector
  import Foundation
  import LoadingModel

  /// A recorded request as a curl command and as Swift code. Has no side effects. Redacted values are `REDACTED` there too.
  package enum CommandText {
    /// The names of header fields that curl and URLSession set themselves. They are left out, as are pseudo-header fields.
    private static let made: Set<String> = ["host", "content-length", "connection", "accept-encoding", "transfer-encoding"]

    package static func curl(_ transfer: RecordedTransfer) -> String {
      let request = transfer.request
      var parts = ["curl \(quoted(request.url))"]
      let body = request.body.map(BodyText.init)
      if let body, body.isBase64 { parts[0] = "printf %s \(quoted(body.text)) | base64 -d | \(parts[0])" }
      // curl takes brackets and braces in a URL as patterns otherwise. URLs in a browser's archive have brackets in their queries.
      if request.url.utf8.contains(where: { "[]{}".utf8.contains($0) }) { parts.append("--globoff") }
      let hasBody = request.body != nil
      if request.method != (hasBody ? "POST" : "GET") {
        parts.append(request.method == "HEAD" ? "--head" : "-X \(quoted(request.method))")
      }
      for field in fields(request) {
        parts.append("-H \(quoted(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"))")
      }
      if let value = request.fields.first("Accept-Encoding"), !value.isEmpty { parts.append("--compressed") }
      if let body { parts.append(body.isBase64 ? "--data-binary @-" : "--data-raw \(quoted(body.text))") }
      return parts.joined(separator: " \\\n  ")
    }

    package static func swift(_ transfer: RecordedTransfer) -> String {
      let request = transfer.request
      var lines = ["var request = URLRequest(url: URL(string: \(literal(request.url)))!)"]
      if request.method != "GET" { lines.append("request.httpMethod = \(literal(request.method))") }
      for field in fields(request) {
        lines.append("request.addValue(\(literal(field.value)), forHTTPHeaderField: \(literal(field.name)))")
      }
      if let body = request.body {
        let text = BodyText(body)
        lines.append(
          text.isBase64
            ? "request.httpBody = Data(base64Encoded: \(literal(text.text)))" : "request.httpBody = Data(\(literal(text.text)).utf8)")
      }
      lines.append("let (data, response) = try await URLSession.shared.data(for: request)")
      return lines.joined(separator: "\n")
    }

    private static func fields(_ request: RecordedTransfer.Request) -> [HeaderFields.Entry] {
      request.fields.entries.filter { !made.contains($0.name.lowercased()) && !$0.name.hasPrefix(":") }
    }

    /// The text as one word for a POSIX shell, quoted unless it consists of harmless characters.
    private static func quoted(_ text: String) -> String {
      let isPlain =
        !text.isEmpty
        && text.utf8.allSatisfy { byte in
          switch byte {
          case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "@"):
            true
          default: false
          }
        }
      return isPlain ? text : "'\(text.replacingOccurrences(of: "'", with: #"'\''"#))'"
    }

    private static func literal(_ text: String) -> String {
      var result = "\""
      for scalar in text.unicodeScalars {
        switch scalar {
        case "\"", "\\": result += "\\\(scalar)"
        case "\n": result += "\\n"
        case "\r": result += "\\r"
        case "\t": result += "\\t"
        case _
        where scalar.value < 0x20 || scalar.value == 0x7F || (0x202A...0x202E).contains(scalar.value)
          || (0x2066...0x2069).contains(scalar.value):
          result += "\\u{\(String(scalar.value, radix: 16))}"
        default: result.unicodeScalars.append(scalar)
        }
      }
      return result + "\""
    }
  }
#endif
