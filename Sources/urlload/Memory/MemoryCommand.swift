import ArgumentParser
import Foundation
import ProcessMemory

/// `urlload memory`: shows what the memory of a process is used for. Runs on a single thread, because only the thread that traces a command (ptrace)
/// may control it.
struct MemoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "urlload memory",
    abstract: "Show what the memory of a process is used for, as vmmap does.",
    usage: "urlload memory [options] PID | --self | -- COMMAND ...",
    discussion: """
      A command's memory is shown when it ends, and its exit status is handed on. Otherwise the status is 0; 1 if there is no such process, \
      or it has no memory; 37 if the memory may not be read; 126 and 127 if the command can't be run or isn't found; 64 for wrong usage.
      """)

  @Flag(name: .customLong("self"), help: "Show this very process: an example.")
  var ownProcess = false

  @Flag(name: .shortAndLong, help: "Show the sums of the kinds only.")
  var summary = false

  @Flag(help: "Write JSON, with sizes in bytes.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "Show the changes since a moment before: a time such as 5s, 'enter' to wait for the Enter key, or a file that --json has written.",
      valueName: "time or file"))
  var diff: MemoryReference?

  @Option(help: ArgumentHelp("Show a command's memory so long after its start, and not at its end.", valueName: "time"))
  var after: MemoryTime?

  @Option(name: .shortAndLong, help: ArgumentHelp("Write to a file instead of standard output.", valueName: "file"))
  var output: String?

  @Argument(help: ArgumentHelp("The process's number.", valueName: "pid"))
  var process: Int32?

  @Argument(parsing: .postTerminator, help: "A command to run, and its arguments.")
  var command: [String] = []

  mutating func validate() throws {
    guard [process != nil, ownProcess, !command.isEmpty].count(where: { $0 }) == 1 else {
      throw ValidationError("Name a process by its number, --self, or a command after --.")
    }
    if let process, process < 1 { throw ValidationError("A process has a number above 0.") }
    if after != nil, command.isEmpty { throw ValidationError("--after needs a command.") }
    if json, diff != nil { throw ValidationError("--json writes a map, not a difference; compare two maps with --diff FILE.") }
    if after != nil, diff != nil, diff != .enter, case .time = diff {
      throw ValidationError("Give the time with --diff alone: a command is compared from then to its end.")
    }
    if diff == .enter, !command.isEmpty { throw ValidationError("--diff enter needs a process that runs already.") }
  }

  func run() throws {
    // If the reader closes the pipe, as `head` does, writing fails with an error instead of a signal.
    signal(SIGPIPE, SIG_IGN)
    let report = MemoryReport(summary: summary, json: json, output: output)
    guard command.isEmpty else {
      throw ExitCode(try MemoryCommandRun(words: command, report: report, diff: diff, after: after).status())
    }
    try tellingFailures { try show(ownProcess ? getpid() : process ?? 0, report) }
  }

  private func show(_ process: Int32, _ report: MemoryReport) throws(ToolFailure) {
    guard let diff else { return try report.write(MemoryReport.map(process)) }
    switch diff {
    case .file(let path):
      let before = try MemoryReport.document(path)
      try report.write(
        MemoryChange(from: before.sums, to: MemoryReport.map(process).sums), title: "Changes of process \(process) since \(path)")
    case .time(let time):
      let before = try MemoryReport.map(process)
      Thread.sleep(forTimeInterval: time.seconds)
      try report.write(before, MemoryReport.map(process))
    case .enter:
      let before = try MemoryReport.map(process)
      Console(tellsErrors: true).line("Press Enter to compare.")
      _ = readLine()
      try report.write(before, MemoryReport.map(process))
    }
  }
}
