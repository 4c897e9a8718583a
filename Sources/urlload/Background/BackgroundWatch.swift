import ArgumentParser
import Foundation

/// `urlload background watch`: shows the progress of transfers until they have ended.
struct BackgroundWatch: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "Show the progress of a transfer, or of all, until they have ended.",
    discussion: "The exit code is 1 if one has failed or was cancelled, also before. On a terminal the lines are redrawn in place.")

  @OptionGroup var format: BackgroundOutputOptions

  @Argument(help: ArgumentHelp("The transfer.", valueName: "id"))
  var transfer: Int64?

  func run() throws {
    try tellingFailures {
      guard let places = try BackgroundCommand.queue() else {
        if let transfer { throw ToolFailure(.other, "there is no transfer \(transfer): there are \(BackgroundCommand.nothing)") }
        return WatchDisplay(style).showNothing()
      }
      guard try TransferWatch(transfer, places, WatchDisplay(style)).run() else { throw ExitCode(ExitStatus.other.rawValue) }
    }
  }

  private var style: WatchDisplay.Style {
    if format.json { return .json }
    let console = Console(tellsErrors: true, descriptor: STDOUT_FILENO)
    return console.showsProgress ? .terminal(console) : .lines
  }
}
