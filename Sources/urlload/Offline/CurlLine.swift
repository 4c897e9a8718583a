/// Makes the command line for curl that does the same (`--curl`). Pure.
enum CurlLine {
  static func text(_ line: LoadCommandLine) -> String {
    let options = line.options
    var words = ["curl"]
    if options.request.location { words.append("--location") }
    words.append("--compressed")
    if options.login.user != nil, options.login.scheme == .any { words.append("--anyauth") }
    if options.network.version == nil || options.network.version == .http2 { words.append("--http2") }
    // These options are written from the parsed values below, because short forms such as request items add to them.
    let skipped: Set<String> = [
      "header", "url-query", "json", "data", "data-raw", "data-binary", "data-urlencode", "form", "form-string", "output", "request",
      "http2", "anyauth", "remote-name", "upload-file",
    ]
    for given in line.given where !skipped.contains(given.entry.name) {
      switch given.entry.curl {
      case .none: continue
      case .same: words.append("--\(given.isTakenBack ? "no-" : "")\(given.entry.name)")
      case .named(let name): words.append("--\(name)")
      }
      if let value = given.value { words.append(value) }
    }
    words += request(options.request)
    for target in line.targets {
      switch target.destination {
      case .standardOutput: break
      case .file(let name): words += ["--output", name]
      case .remoteName: words.append("--remote-name")
      case .suggestedName: words.append("--remote-name")
      }
      if let file = target.upload { words += ["--upload-file", file] }
      words.append(target.url)
    }
    return words.map(quoted).joined(separator: " ")
  }

  private static func request(_ options: RequestOptions) -> [String] {
    var words: [String] = []
    if let method = options.method { words += ["--request", method] }
    for field in options.header { words += ["--header", field] }
    for query in options.query { words += ["--url-query", query] }
    for data in options.data {
      let name =
        switch data.kind {
        case .text: "data"
        case .raw: "data-raw"
        case .binary: "data-binary"
        case .percentEncoded: "data-urlencode"
        case .json: "json"
        }
      words += ["--\(name)", data.text]
    }
    for part in options.form {
      let content =
        switch part.content {
        case .text(let text):
          text.first.map { "@<\"".contains($0) } == true || text.contains(";") ? "\"\(text.replacing("\"", with: "\\\""))\"" : text
        case .textFile(let path): "<\(path)"
        case .file(let path): "@\(path)"
        }
      words += [
        "--form", "\(part.name)=\(content)" + (part.type.map { ";type=\($0)" } ?? "") + (part.filename.map { ";filename=\($0)" } ?? ""),
      ]
    }
    return words
  }

  /// Quotes a word for the shell, if necessary.
  private static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty
      && word.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-_./:=@,+%".utf8.contains(byte)
        }
      }
    return isPlain ? word : "'\(word.replacing("'", with: "'\\''"))'"
  }
}
