import ProcessMemory

/// How the user is told of a command after `--` that can't be run. Pure.
extension CommandFailure {
  var text: String {
    switch self {
    case .notFound(let name): "\(name): there is no such command"
    case .notExecutable(let name): "\(name) isn't executable"
    case .cannotTrace(let code):
      "the command can't be traced (\(SystemMessage.text(code))) and wasn't run; start it yourself, and give its number"
    case .cannotStart(let code): "the command can't be started (\(SystemMessage.text(code)))"
    }
  }

  /// The exit code, as in shells.
  var shellStatus: Int32 {
    switch self {
    case .notFound: 127
    case .notExecutable, .cannotTrace, .cannotStart: 126
    }
  }
}
