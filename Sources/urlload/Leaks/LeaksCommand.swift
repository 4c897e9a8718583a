import ArgumentParser
import Foundation
import ProcessMemory

/// `urlload leaks`: shows the leaked blocks of a command, or what URL loading holds in a running process. Runs on a single thread, because only the
/// thread that traces the command (ptrace) may examine it.
struct LeaksCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "urlload leaks",
    abstract: "Show what URL loading holds in a process; or run a command and show what has leaked when it ends, as leaks --atExit does.",
    usage: "urlload leaks [options] PID | -- COMMAND ...",
    discussion: """
      With a process's number: its sessions with a delegate that were never invalidated, tasks never resumed, answers never given, bodies \
      not read, and what holds them. The process must use URLLoadingSystem and be the same user's. The status is 0 if nothing has leaked, 1 \
      if something has or there is no such process, 2 if it doesn't answer.

      The command's output passes through. The report is written to standard error when the command ends, and at each signal USR2 that \
      urlload gets while the command runs. The status is 0 if nothing has leaked, 1 if something has (with --references: if nothing was \
      found), 2 if the command's memory couldn't be read, 126 if the command can't be run or examined, 127 if it isn't found, 23 if the \
      report can't be written, 128 and the signal's number if a signal ended the command before its end, 64 for wrong usage.
      """)

  @Option(name: .shortAndLong, help: ArgumentHelp("Write the reports to a file instead of standard error.", valueName: "file"))
  var output: String?

  @Flag(help: "Write each report as JSON, in one line.")
  var json = false

  @Option(help: ArgumentHelp("Write what has leaked as a graph for Graphviz; the last report's stays.", valueName: "file"))
  var graph: String?

  @Flag(help: "Record the stacks that allocate, and show them. It makes the command much slower.")
  var stacks = false

  @Flag(help: "Examine the processes that the command starts, too.")
  var children = false

  @Option(help: ArgumentHelp("The signal to urlload at which the command is examined while it runs.", valueName: "name"))
  var signal = LeaksSignal.usr2

  @Option(
    help: ArgumentHelp(
      "Show what holds the living objects of a type, or the block at an address (0x...), instead of leaks.", valueName: "type or address"))
  var references: String?

  @Option(help: ArgumentHelp("So many objects at most with --references.", valueName: "count"))
  var limit = 10

  @Argument(help: ArgumentHelp("The number of a process that uses URLLoadingSystem.", valueName: "pid"))
  var process: Int32?

  @Argument(parsing: .postTerminator, help: "The command to run, and its arguments.")
  var command: [String] = []

  mutating func validate() throws {
    if command.isEmpty == (process == nil) { throw ValidationError("Name a process by its number, or the command to run after --.") }
    if let process {
      if process < 1 { throw ValidationError("A process has a number above 0.") }
      if graph != nil || references != nil || stacks || children {
        throw ValidationError("--graph, --references, --stacks and --children examine a heap: they need a command.")
      }
    }
    if limit < 1 { throw ValidationError("--limit takes a number above 0.") }
    if graph != nil, references != nil { throw ValidationError("--graph draws leaks; leave out --references.") }
  }

  func run() throws {
    // If the reader closes the pipe, as `head` does, writing fails with an error instead of a signal.
    Foundation.signal(SIGPIPE, SIG_IGN)
    let status = process.map { HeldRun(process: $0, options: self).status() } ?? LeaksRun(self).status()
    guard status == 0 else { throw ExitCode(status) }
  }
}

/// The signals that can ask for an examination of the running command.
enum LeaksSignal: String, ExpressibleByArgument, CaseIterable {
  case usr1 = "USR1"
  case usr2 = "USR2"

  init?(argument: String) {
    let name = argument.uppercased()
    self.init(rawValue: name.hasPrefix("SIG") ? String(name.dropFirst(3)) : name)
  }

  var number: Int32 {
    switch self {
    case .usr1: SIGUSR1
    case .usr2: SIGUSR2
    }
  }
}
