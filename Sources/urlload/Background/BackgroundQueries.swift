import ArgumentParser
import BackgroundTransfers
import Foundation

/// `urlload background list`: writes the list of transfers.
struct BackgroundList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the transfers: identifier, phase, how much is done, app, URL, and why it waits.")

  @OptionGroup var format: BackgroundOutputOptions

  func run() throws {
    try tellingFailures {
      guard let places = try BackgroundCommand.queue() else {
        if !format.json { StandardOutput.line(BackgroundCommand.nothing) }
        return
      }
      let list = try DaemonConnection.answer(places) { daemon throws(ToolFailure) in try daemon.list() }
      if list.isEmpty, !format.json { StandardOutput.line(BackgroundCommand.nothing) }
      for listing in list { StandardOutput.line(format.json ? ListingRecord(listing).line : ListingText.line(listing)) }
    }
  }
}

/// `urlload background log`: writes the latest lines of the daemon's log.
struct BackgroundLog: ParsableCommand {
  private static let longest = 10_000

  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Show what happened to a transfer, or to all, the latest last; also to those that have ended.")

  @Option(help: ArgumentHelp("So many of the latest lines at most.", valueName: "count"))
  var limit = 100

  @OptionGroup var format: BackgroundOutputOptions

  @Argument(help: ArgumentHelp("The transfer.", valueName: "id"))
  var transfer: Int64?

  mutating func validate() throws {
    if !(1...BackgroundLog.longest ~= limit) { throw ValidationError("--limit takes a number from 1 to \(BackgroundLog.longest).") }
  }

  func run() throws {
    try tellingFailures {
      guard let places = try BackgroundCommand.queue() else {
        if !format.json { StandardOutput.line(BackgroundCommand.nothing) }
        return
      }
      let lines = try DaemonConnection.answer(places) { daemon throws(ToolFailure) in try daemon.log(transfer, limit: limit) }
      for line in lines {
        StandardOutput.line(format.json ? JSONLine.text(LogRecord(line)) : ListingText.log(line))
      }
    }
  }
}

/// `urlload background status`: writes what the daemon is doing, and why transfers wait.
struct BackgroundStatus: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Say what urlsessiond is doing, and why something waits.")

  @OptionGroup var format: BackgroundOutputOptions

  func run() throws {
    try tellingFailures {
      guard let places = try BackgroundCommand.queue() else {
        return StandardOutput.line(format.json ? JSONLine.text(StatusRecord()) : "\(BackgroundCommand.nothing); urlsessiond isn't needed")
      }
      let (status, list) = try DaemonConnection.answer(places) { daemon throws(ToolFailure) in (try daemon.status(), try daemon.list()) }
      if format.json { return StandardOutput.line(JSONLine.text(StatusRecord(status, list))) }
      for line in ListingText.status(status, list, now: Date()) { StandardOutput.line(line) }
    }
  }
}

/// The daemon's state, in the form of `status --json`.
private struct StatusRecord: Encodable {
  struct Waiting: Encodable {
    let id: Int64
    let reason: String?
    let next: Date?
  }

  /// `process`, `started` and `dataFolder` are nil if there are no transfers, so that no daemon is needed.
  var process: Int32?
  var started: Date?
  var dataFolder: String?
  var running = 0
  var waiting = 0
  var suspended = 0
  var finished = 0
  var apps = 0
  var obstacles: [String] = []
  var waits: [Waiting] = []

  init() {}

  init(_ status: DaemonStatus, _ list: [TransferListing]) {
    process = status.process
    started = status.started
    dataFolder = status.dataFolder
    running = status.running
    waiting = status.waiting
    suspended = status.suspended
    finished = status.finished
    apps = status.apps
    obstacles = status.obstacles
    waits = list.filter { $0.phase == .waiting }.map { Waiting(id: $0.identifier, reason: $0.reason, next: $0.next) }
  }
}
