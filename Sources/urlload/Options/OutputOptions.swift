import ArgumentParser

/// Where results go and what is told, as given on the command line.
struct OutputOptions: ParsableArguments {
  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("Write the body to this file, which appears once it is complete.", valueName: "file"))
  var file: String?

  @Flag(
    name: [.customShort("O"), .customLong("remote-name")],
    help: "Write the body to a file of the current directory with the name in the URL.")
  var usesRemoteName = false

  @Flag(
    name: [.customShort("J"), .customLong("remote-header-name")],
    help: "With -O, the name that the response suggests (Content-Disposition); no file is replaced.")
  var usesHeaderName = false

  @Flag(name: [.customShort("i"), .customLong("include")], help: "Write the response's head before the body.")
  var includesHead = false

  @Flag(name: .shortAndLong, help: "Tell requests, responses and connections on standard error; credentials are masked.")
  var verbose = false

  @Flag(name: .shortAndLong, help: "No progress bar, no error messages.")
  var silent = false

  @Flag(name: [.customShort("S"), .long], help: "With -s, error messages nevertheless.")
  var showError = false

  @Flag(name: .shortAndLong, help: "Fail without output on an HTTP status of 400 and above.")
  var fail = false

  @Flag(help: "Fail on an HTTP status of 400 and above, but write the body.")
  var failWithBody = false

  @Flag(help: "Draw when each phase of the load took place.")
  var metrics = false

  mutating func validate() throws {
    if file != nil, usesRemoteName { throw ValidationError("-o and -O both name the output; leave one of the two out.") }
    if fail, failWithBody { throw ValidationError("--fail leaves out the body that --fail-with-body writes; leave one of the two out.") }
    if usesHeaderName, !usesRemoteName { throw ValidationError("-J chooses among names for -O; add -O.") }
    if file?.isEmpty == true { throw ValidationError("-o needs the name of a file, or - for standard output.") }
  }

  /// Where the body is written.
  var destination: OutputDestination {
    if usesRemoteName { return usesHeaderName ? .suggestedName : .remoteName }
    guard let file, file != "-" else { return .standardOutput }
    return .file(file)
  }

  /// Whether failures are told.
  var tellsErrors: Bool { !silent || showError }
}
