import Foundation

/// Where results go and what is told, as given on the command line.
struct OutputOptions: Sendable {
  /// The n-th is that of the n-th URL.
  var files: [String] = []
  var usesRemoteName = false
  var usesHeaderName = false
  /// Whether bodies become files, whatever they are called.
  var downloads = false
  var folder: String?
  var createsFolders = false
  /// Whether what is there stays, and a number is added to the new file's name.
  var keepsFiles = false
  var removesOnError = false
  var headFile: String?
  var includesHead = false
  /// Set by `-v`.
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
  /// nil: everything on a terminal, nothing elsewhere.
  var pretty: PrettyForm?
  /// What `-w` writes after each load.
  var writeOut: String?

  var verbose: Bool { verbosity > 0 }

  /// What is wrong with one of the values, whatever the others are.
  func validateValues() throws(UsageError) {
    if files.contains("") { throw UsageError("-o needs the name of a file, or - for standard output.") }
    if headFile?.isEmpty == true { throw UsageError("-D needs the name of a file, or - for standard output.") }
  }

  func validate() throws(UsageError) {
    try validateValues()
    if !files.isEmpty, usesRemoteName { throw UsageError("-o and -O both name the output; leave one of the two out.") }
    if fail, failWithBody { throw UsageError("--fail leaves out the body that --fail-with-body writes; leave one of the two out.") }
    if usesHeaderName, !usesRemoteName { throw UsageError("-J chooses among names for -O; add -O.") }
  }

  /// Where the bodies are written, if one place is meant for all.
  var destination: OutputDestination {
    if usesRemoteName { return usesHeaderName ? .suggestedName : .remoteName }
    guard let file = files.first, file != "-" else { return .standardOutput }
    return .file(file)
  }

  /// How what is written to standard output is shown; nil where its bytes are written as they are. `-o -` asks for those.
  var presentation: PrettyForm? {
    if let pretty { return pretty == .none ? nil : pretty }
    return isatty(STDOUT_FILENO) == 1 && !files.contains("-") ? .all : nil
  }

  /// Whether failures are told.
  var tellsErrors: Bool { !silent || showError }
}

/// What `--trace` and `--trace-ascii` name; the last counts.
struct TraceChoice: Sendable {
  let path: String
  let form: TraceFile.Form
}

/// How the phases of a load are shown.
enum MetricsForm: Sendable {
  case none
  case drawing
  case json
}
