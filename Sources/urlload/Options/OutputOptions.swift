import Foundation

/// The options about output and messages, as given on the command line.
struct OutputOptions: Sendable {
  /// The values of `-o`: the n-th is for the n-th URL.
  var files: [String] = []
  var usesRemoteName = false
  var usesHeaderName = false
  /// Whether bodies are written to files even without `-o`, as with `-O` (`--download`).
  var downloads = false
  var folder: String?
  var createsFolders = false
  /// Whether existing files aren't replaced, but the new file's name gets a number (`--no-clobber`).
  var keepsFiles = false
  var removesOnError = false
  var headFile: String?
  var includesHead = false
  /// The number of times that `-v` was given.
  var verbosity = 0
  var showsSecrets = false
  var trace: TraceChoice?
  var silent = false
  var showsProgress = true
  var progress = ProgressForm.bar
  var showError = false
  var fail = false
  var failWithBody = false
  var metrics = MetricsForm.none
  var maxFileSize: Int64?
  /// The value of `--pretty`; nil for all on a terminal, and none elsewhere.
  var pretty: PrettyForm?
  /// The file of `--etag-save`.
  var etagSave: String?
  /// Whether files get the time of the resource (`-R`).
  var keepsTime = false
  /// The format of `-w`, which is written after each load.
  var writeOut: String?

  var verbose: Bool { verbosity > 0 }

  /// - Throws: If one of the values is wrong, whatever the other options are.
  func validateValues() throws(UsageError) {
    if files.contains("") { throw UsageError("-o needs the name of a file, or - for standard output.") }
    if etagSave?.isEmpty == true { throw UsageError("--etag-save needs the name of a file.") }
    if headFile?.isEmpty == true { throw UsageError("-D needs the name of a file, or - for standard output.") }
  }

  func validate() throws(UsageError) {
    try validateValues()
    if !files.isEmpty, usesRemoteName { throw UsageError("-o and -O both name the output; leave one of the two out.") }
    if fail, failWithBody { throw UsageError("--fail leaves out the body that --fail-with-body writes; leave one of the two out.") }
    if usesHeaderName, !usesRemoteName { throw UsageError("-J chooses among names for -O; add -O.") }
  }

  /// Where bodies are written, if there is one destination for all URLs.
  var destination: OutputDestination {
    if usesRemoteName { return usesHeaderName ? .suggestedName : .remoteName }
    guard let file = files.first, file != "-" else { return .standardOutput }
    return .file(file)
  }

  /// How bodies on standard output are formatted; nil if their bytes are written unchanged, as also `-o -` asks for.
  var presentation: PrettyForm? {
    if let pretty { return pretty == .none ? nil : pretty }
    return isatty(STDOUT_FILENO) == 1 && !files.contains("-") ? .all : nil
  }

  /// Whether failures are reported.
  var tellsErrors: Bool { !silent || showError }
}

/// The value of `--trace` or `--trace-ascii`; the last one given counts.
struct TraceChoice: Sendable {
  let path: String
  let form: TraceFile.Form
}

/// The form of `--metrics`.
enum MetricsForm: Sendable {
  case none
  case drawing
  case json
}
