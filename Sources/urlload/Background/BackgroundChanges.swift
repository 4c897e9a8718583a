import ArgumentParser
import BackgroundTransfers
import Foundation

/// The command line arguments that name transfers, for the commands that change these.
struct TransferArguments: ParsableArguments {
  @Argument(help: ArgumentHelp("The transfers, by their identifiers.", valueName: "id"))
  var transfers: [Int64]

  /// Sends the daemon the request for each transfer.
  /// - Throws: If one transfer can't be changed; the others are changed nevertheless.
  func change(_ request: (Int64) -> ToolRequest) throws {
    try tellingFailures {
      let connection = try BackgroundCommand.connection()
      for transfer in transfers { try connection.send(.tool(request(transfer))) }
      var failures: [ToolFailure] = []
      for transfer in transfers {
        guard case .failed(let text) = try connection.reply() else { continue }
        failures.append(ToolFailure(.other, transfers.count == 1 ? text : "\(transfer): \(text)"))
      }
      let console = Console(tellsErrors: true)
      for failure in failures.dropLast() { console.tell(failure) }
      if let last = failures.last { throw last }
    }
  }
}

/// `urlload background pause`: suspends transfers.
struct BackgroundPause: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "pause", abstract: "Pause transfers until they are resumed.")

  @OptionGroup var arguments: TransferArguments

  func run() throws { try arguments.change { .pause($0) } }
}

/// `urlload background resume`: resumes suspended transfers.
struct BackgroundResume: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "Resume paused transfers.")

  @OptionGroup var arguments: TransferArguments

  func run() throws { try arguments.change { .resume($0) } }
}

/// `urlload background cancel`: cancels transfers, and removes what was loaded of them.
struct BackgroundCancel: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel", abstract: "Cancel transfers for good; what was loaded of them is removed.")

  @OptionGroup var arguments: TransferArguments

  func run() throws { try arguments.change { .cancel($0) } }
}
