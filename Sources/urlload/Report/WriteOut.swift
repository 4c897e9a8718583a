import Foundation

/// The values of the variables of `-w`.
struct WriteOutValues: Sendable {
  enum Value: Sendable {
    case text(String)
    case number(Int64, width: Int)
    case seconds(Double)

    var text: String {
      switch self {
      case .text(let text): text
      case .number(let number, let width):
        String(repeating: "0", count: max(0, width - String(number).count)) + String(number)
      case .seconds(let seconds): String(format: "%.6f", seconds)
      }
    }

    var json: String {
      switch self {
      case .text(let text): JSONLine.text(text)
      case .number(let number, _): String(number)
      case .seconds: text
      }
    }
  }

  private(set) var values: [String: Value] = [:]
  /// Variables without a value, which are empty in a text and null in JSON.
  private(set) var absent: Set<String> = []
  var headers: [(name: String, value: String)] = []
  var hasFailed = false

  mutating func set(_ name: String, _ text: String?) {
    if let text { values[name] = .text(text) } else { absent.insert(name) }
  }

  mutating func set(_ name: String, _ number: some BinaryInteger, width: Int = 0) { values[name] = .number(Int64(number), width: width) }

  mutating func set(_ name: String, seconds: Double) { values[name] = .seconds(seconds) }

  /// All variables as a JSON object, sorted by name.
  var json: String {
    let all = values.map { ($0.key, $0.value.json) } + absent.map { ($0, "null") }
    return "{" + all.sorted { $0.0 < $1.0 }.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
  }

  /// The response's fields in the form of curl's `header_json`: a list of values for each name, in lower case.
  var headerJSON: String {
    var order: [String] = []
    var lists: [String: [String]] = [:]
    for (name, value) in headers {
      let name = name.lowercased()
      if lists[name] == nil { order.append(name) }
      lists[name, default: []].append(value)
    }
    return "{"
      + order.map { "\(JSONLine.text($0)):[" + (lists[$0] ?? []).map { JSONLine.text($0) }.joined(separator: ",") + "]" }.joined(
        separator: ",\n")
      + "\n}"
  }
}

/// The format of `-w`, and writing by it.
struct WriteOut: Sendable {
  private let format: String

  /// A format in a file counts without its line ends, as in curl: lines end where it has `\n`.
  /// - Throws: If the format is in a file ("@FILE") that can't be read.
  init(_ argument: String) throws(ToolFailure) {
    guard argument.hasPrefix("@") else {
      format = argument
      return
    }
    let path = String(argument.dropFirst())
    let content = NamedContent.read(path)
    guard let content else { throw ToolFailure(.readFailed, "\(path) can't be read for -w; check the name behind the @") }
    format = String(decoding: content.filter { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }

  /// The variables of `LoadReport.values`, and those that stand for no single value.
  static let variables: Set<String> = [
    "content_type", "errormsg", "exitcode", "filename_effective", "header_json", "http_code", "http_version", "json", "local_ip",
    "local_port", "method", "num_connects", "num_headers", "num_redirects", "num_retries", "onerror", "redirect_url", "referer",
    "remote_ip", "remote_port", "response_code", "scheme", "size_download", "size_header", "size_request", "size_upload",
    "speed_download", "speed_upload", "ssl_verify_result", "stderr", "stdout", "time_appconnect", "time_connect", "time_namelookup",
    "time_pretransfer", "time_redirect", "time_starttransfer", "time_total", "url", "url_effective", "urlnum",
  ]

  /// What is said about variables that have no value here, such as misspelt ones and some of curl's.
  var complaints: [String] {
    format.matches(of: /%%|%(output|time)?\{([^}]*)\}/).compactMap { match in
      guard let name = match.2 else { return nil }
      if let kind = match.1 { return "-w doesn't know %\(kind){\(name)}; it is written as it is" }
      return WriteOut.variables.contains(String(name)) ? nil : "unknown --write-out variable: '\(name)'; nothing is written in its place"
    }
  }

  /// - Throws: If the output can't be written.
  func write(_ values: WriteOutValues) throws(ToolFailure) {
    for (descriptor, text) in pieces(values) {
      if let code = Descriptor.writeAll(Data(text.utf8), to: descriptor) { throw WriteFailure.failure("standard output", code) }
    }
  }

  /// The texts to write, each with its descriptor (standard output or error). Pure.
  func pieces(_ values: WriteOutValues) -> [(descriptor: Int32, text: String)] {
    var pieces: [(descriptor: Int32, text: String)] = []
    var (descriptor, text) = (STDOUT_FILENO, "")
    var rest = format[...]
    while let character = rest.popFirst() {
      switch character {
      case "\\":
        switch rest.popFirst() {
        case "n": text += "\n"
        case "r": text += "\r"
        case "t": text += "\t"
        case let other?: text += "\\\(other)"
        case nil: text += "\\"
        }
      case "%" where rest.first == "%":
        rest = rest.dropFirst()
        text += "%"
      case "%" where rest.hasPrefix("{") || rest.hasPrefix("header{"):
        let isField = rest.first == "h"
        guard let start = rest.firstIndex(of: "{"), let end = rest.firstIndex(of: "}") else {
          text += "%"
          continue
        }
        let name = String(rest[rest.index(after: start)..<end])
        rest = rest[rest.index(after: end)...]
        if isField {
          text += values.headers.first { $0.name.lowercased() == name.lowercased() }?.value ?? ""
          continue
        }
        switch name {
        case "stdout", "stderr":
          pieces.append((descriptor, text))
          (descriptor, text) = (name == "stdout" ? STDOUT_FILENO : STDERR_FILENO, "")
        case "onerror": if !values.hasFailed { rest = "" }
        case "json": text += values.json
        case "header_json": text += values.headerJSON
        default: text += values.values[name]?.text ?? ""
        }
      default: text.append(character)
      }
    }
    return (pieces + [(descriptor, text)]).filter { !$0.text.isEmpty }
  }
}
