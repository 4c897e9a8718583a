import URLLoadingSystem

/// The tool's entry. Words such as "cache" are told from a URL here, because an argument parser's command with both subcommands and a list of
/// arguments takes them for one of the list.
@main
enum EntryPoint {
  static func main() { MainThread.run { await run() } }

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
