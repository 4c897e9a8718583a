import Foundation
import URLLoadingSystem

/// Entry point of urlload. Subcommands such as "cache" are recognized here, because ArgumentParser would take their names for URLs in the list of
/// arguments.
@main
enum EntryPoint {
  static func main() {
    openClosedStreams()
    demandText()
    MainThread.run { await run() }
  }

  /// Opens /dev/null where standard input, output or error is closed: otherwise the next file that is opened would be taken for that stream. It is
  /// opened for the wrong direction where that shall be an error: reading the input, and writing the output.
  private static func openClosedStreams() {
    for (stream, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY)]
    where fcntl(stream, F_GETFD) < 0 {
      _ = open("/dev/null", mode)
    }
  }

  /// Ends the process if an argument isn't UTF-8: decoding would replace its bytes, so that other data would be sent, or another file opened.
  private static func demandText() {
    for number in 1..<max(1, Int(CommandLine.argc)) {
      guard let argument = CommandLine.unsafeArgv[number], String(validatingCString: argument) == nil else { continue }
      Console(tellsErrors: true).line(
        "urlload: argument \(number) isn't UTF-8; such bytes can be sent from a file: -d @FILE, --data-binary @FILE, -T FILE.")
      exit(ExitStatus.usage.rawValue)
    }
  }

  private static func run() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let rest = Array(arguments.dropFirst())
    switch arguments.first {
    case "background": BackgroundCommand.main(JoinedArguments.separated(rest))
    case "ats": await Diagnose.main(rest)
    case "cache": await CacheCommand.main(rest)
    case "cookies": await CookiesCommand.main(rest)
    case "inspect": InspectCommand.main(rest)
    case "leaks": LeaksCommand.main(rest)
    case "memory": MemoryCommand.main(rest)
    case "manual": ManualCommand.main(rest)
    case "sse": await EventsCommand.main(rest)
    case "ws": await WebSocketCommand.main(rest)
    default: await Urlload.main(arguments)
    }
  }
}
