import Foundation

/// The parsed and checked command line of `urlload URL`: options and URLs.
struct LoadCommandLine: Sendable {
  private(set) var options = LoadOptions()
  private(set) var targets: [LoadTarget] = []
  /// The options in the order in which they were given, for `--curl`.
  private(set) var given: [CommandLineParser<LoadOptions>.Given] = []

  /// - Throws: `UsageError` if the command line is wrong; `ToolFailure` if a URL is.
  init(_ arguments: [String], groups: [OptionSection<LoadOptions>] = LoadTable.groups) throws {
    let parser = CommandLineParser(groups, explanation: ForeignOptions.explanation)
    var words = CommandLineParser<LoadOptions>.Words()
    func take(_ arguments: [String]) throws(UsageError) {
      let more = try parser.parse(arguments, into: &options)
      words.given += more.given
      words.behindInclude.formUnion(more.behindInclude.map { $0 + words.plain.count })
      words.plain += more.plain
    }
    func takeFile(_ path: String, mayBeMissing: Bool) throws(UsageError) {
      for line in try ConfigFile.lines(at: path, mayBeMissing: mayBeMissing) {
        do throws(UsageError) {
          let (known, files) = (options.extent, options.run.configFiles.count)
          // A value after an option that takes none would count as a URL. The check parses into fresh options, because copying `options` for each
          // line would copy everything that the lines before have given.
          var scratch = LoadOptions()
          if line.arguments.count > 1, let last = try? parser.parse([line.arguments[0]], into: &scratch).given.last,
            case .flag = last.entry.action
          {
            throw UsageError("\(line.arguments[0]) takes nothing; leave \"\(line.arguments[1])\" out.")
          }
          try take(line.arguments)
          if !mayBeMissing, options.run.configFiles.count > files {
            throw UsageError("a file of options names no other; give both with -K.")
          }
          try options.validateValues(behind: known)
        } catch {
          throw UsageError("\(path == "-" ? "standard input" : path), line \(line.number): \(error.message)")
        }
      }
    }
    if let path = ConfigFile.path, arguments.first.map({ $0 != "--disable" && !($0.hasPrefix("-q") && !$0.hasPrefix("--")) }) ?? true {
      try takeFile(path, mayBeMissing: true)
    }
    try take(arguments)
    // The values of the command line are checked here, so that a later error is one of a file named by `-K`.
    if !options.run.configFiles.isEmpty { try options.validateValues() }
    for path in options.run.configFiles { try takeFile(path, mayBeMissing: false) }
    if options.run.help != nil {
      options.run.help = words.plain.first ?? ""
      return
    }
    if options.run.showsVersion { return }
    if options.output.downloads, options.output.files.isEmpty { options.output.usesRemoteName = true }
    given = words.given
    try chooseTargets(&words)
    guard !targets.isEmpty else { throw UsageError("Name a URL to load, such as https://example.com/.") }
    try options.validate(urlCount: targets.count)
  }

  private mutating func chooseTargets(_ words: inout CommandLineParser<LoadOptions>.Words) throws {
    var plain = words.plain
    // wget's `-i FILE`: a word after `-i` that is a file with URLs.
    if let index = words.behindInclude.sorted().first(where: { plain.indices.contains($0) && URLList.isOne(plain[$0]) }), plain.count == 1 {
      options.run.inputFiles.append(plain.remove(at: index))
      options.output.includesHead = false
    }
    var method: String?
    if plain.count > 1, let first = plain.first, RequestItems.methods.contains(first.uppercased()) {
      method = first.uppercased()
      plain.removeFirst()
    }
    var typed = options.run.urls
    if let method {
      options.request.method = options.request.method ?? method
      if method == "HEAD" { (options.request.asksForHead, options.request.method) = (true, nil) }
    }
    // Words after the first URL may be request items (`name=value`) as well as further URLs.
    let first = plain.prefix(1)
    let rest = plain.dropFirst()
    let hasItems = method != nil || rest.contains { RequestItems.isItem($0, behindMethod: false) }
    let items = hasItems ? rest.filter { RequestItems.isItem($0, behindMethod: true) || method != nil || $0.hasSuffix(";") } : []
    typed += first
    if method == nil { typed += rest.filter { !items.contains($0) } }
    try RequestItems(Array(items)).apply(to: &options.request)
    for path in options.run.inputFiles { typed += try URLList.urls(in: path) }
    try addTargets(typed)
  }

  private mutating func addTargets(_ typed: [String]) throws {
    // If all output goes to /dev/null, no file can be overwritten, and one `-o` is enough for all URLs.
    let dropsAll = !options.output.files.isEmpty && options.output.files.allSatisfy { $0 == "/dev/null" }
    if !options.output.files.isEmpty, !dropsAll, options.output.files.count < typed.count {
      throw UsageError("-o names one file, but there are \(typed.count) URLs; use -O, or give -o for each of them.")
    }
    let uploads = options.request.uploadFiles
    if !uploads.isEmpty, uploads.count != typed.count {
      let files = uploads.count == 1 ? "once" : "\(uploads.count) times"
      let urls = typed.count == 1 ? "is 1 URL" : "are \(typed.count) URLs"
      throw UsageError("-T is given \(files), but there \(urls); give it once for each URL, in their order.")
    }
    for (place, text) in typed.enumerated() {
      let pattern = options.request.leavesPatterns ? URLPattern(literal: text) : try URLPattern(text)
      for index in 0..<pattern.count {
        let (url, values) = pattern[index]
        let file = dropsAll ? "/dev/null" : options.output.files.indices.contains(place) ? options.output.files[place] : nil
        if let file, pattern.count > 1, file != "-", !dropsAll, URLPattern.name(file, values) == file {
          throw UsageError(
            "-o names one file for the \(pattern.count) URLs of a pattern; put the pattern's number into it, as in -o 'file#1'.")
        }
        targets.append(
          LoadTarget(
            url: TypedURL.completed(url), isCompleted: !TypedURL.hasScheme(url), destination: destination(file, values),
            upload: uploads.isEmpty ? nil : uploads[place], place: place))
      }
    }
  }

  private func destination(_ file: String?, _ values: [String]) -> OutputDestination {
    guard let file else { return options.output.usesRemoteName ? options.output.destination : .standardOutput }
    return file == "-" ? .standardOutput : .file(URLPattern.name(file, values))
  }
}

/// One URL to load, and where its body goes.
struct LoadTarget: Sendable, Equatable {
  let url: String
  /// Whether the scheme was added, because the URL was given without one.
  let isCompleted: Bool
  let destination: OutputDestination
  /// The file that is sent there (`-T`); nil for none.
  var upload: String?
  /// The number of the URL on the command line, from 0 on; those of a pattern have the same.
  var place = 0
}

/// Reads files with one URL on each line. Empty lines and lines that begin with "#" are ignored.
enum URLList {
  /// Whether the path is a regular file, and its lines look like URLs.
  static func isOne(_ path: String) -> Bool {
    var status = stat()
    guard !path.contains("://"), stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, let urls = try? urls(in: path) else {
      return false
    }
    return !urls.isEmpty && urls.allSatisfy { !$0.contains { $0.isWhitespace || $0 == "<" } }
  }

  static func urls(in path: String) throws(UsageError) -> [String] {
    let content = NamedContent.read(path)
    guard let content else { throw UsageError("\(path) can't be read for URLs; check the name behind --input-file.") }
    return String(decoding: content, as: UTF8.self).split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty && !$0.hasPrefix("#") }
  }
}
