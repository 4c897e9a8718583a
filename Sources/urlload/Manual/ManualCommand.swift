import Foundation
import URLLoadingSystem

/// `urlload manual man|bash|zsh|fish`: writes the manual page or a completion script, made from the tables of options. `make install` uses it.
enum ManualCommand {
  static func main(_ arguments: [String]) -> Never {
    let text: String? =
      switch arguments.first {
      case "man": ManualPage.text(version: LibraryVersion.current)
      case "bash": Completions.bash
      case "zsh": Completions.zsh
      case "fish": Completions.fish
      default: nil
      }
    guard let text, arguments.count == 1 else {
      Console(tellsErrors: true).line("urlload: 'urlload manual' writes one of man, bash, zsh and fish.")
      exit(ExitStatus.usage.rawValue)
    }
    _ = Descriptor.writeAll(Data(text.utf8), to: STDOUT_FILENO)
    exit(0)
  }
}

/// The subcommands of urlload, with a line of help for each.
enum Subcommands {
  static let all: [(name: String, help: String)] = [
    ("ws", "exchange messages over a WebSocket"), ("sse", "write server-sent events as they come"),
    ("background", "hand transfers to a daemon that carries them on"), ("ats", "try a server with App Transport Security's settings"),
    ("cache", "list, show and remove stored responses"), ("cookies", "list and remove kept cookies"),
    ("memory", "show what the memory of a process is used for"), ("leaks", "show what a program has leaked"),
  ]

  /// The words that may follow a subcommand.
  static let words: [(name: String, words: [String])] = [
    ("background", ["add", "list", "watch", "pause", "resume", "cancel", "clear", "log", "status"]), ("cache", ["ls", "show", "rm"]),
    ("cookies", ["ls", "rm"]),
  ]
}
