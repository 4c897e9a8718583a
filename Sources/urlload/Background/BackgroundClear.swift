import ArgumentParser
import BackgroundTransfers
import Foundation

/// `urlload background clear`: removes ended transfers of the tool itself from the list. Transfers of apps aren't touched, because their apps have to
/// take the events.
struct BackgroundClear: ParsableCommand {
  /// How often the daemon's list is read until the transfers are gone from it, and microseconds in between: the daemon doesn't acknowledge `taken`.
  private static let tries = 200
  private static let pause: UInt32 = 50_000

  static let configuration = CommandConfiguration(
    commandName: "clear", abstract: "Remove failed transfers that were added with 'urlload background add' from the list.")

  @Argument(help: ArgumentHelp("The transfers; all that have ended by default.", valueName: "id"))
  var transfers: [Int64] = []

  func run() throws {
    try tellingFailures {
      guard let places = try BackgroundCommand.queue() else { return }
      let tool = try DaemonConnection.current(places)
      let ended = try ended(tool)
      if let other = transfers.first(where: { id in !ended.contains { $0.identifier == id } }) {
        throw ToolFailure(.other, "\(other) isn't a transfer of urlload's that has failed; 'urlload background list' shows them")
      }
      for (session, listings) in Dictionary(grouping: ended, by: \.session) {
        let (app, _) = try BackgroundAddition(ToolSession.terms(session)).attach(places)
        try app.send(.taken(events: listings.map(\.identifier)))
        try awaitRemoval(of: Set(listings.map(\.identifier)), tool)
      }
    }
  }

  /// The tool's own transfers that have ended, and that the command line names, or all if it names none.
  private func ended(_ tool: DaemonConnection) throws(ToolFailure) -> [TransferListing] {
    try tool.list().filter { listing in
      guard listing.app == ToolSession.app, ToolSession.identifiers.contains(listing.session) else { return false }
      guard transfers.isEmpty || transfers.contains(listing.identifier) else { return false }
      switch listing.phase {
      case .finished, .failed: return true
      case .running, .waiting, .suspended: return false
      }
    }
  }

  private func awaitRemoval(of identifiers: Set<Int64>, _ tool: DaemonConnection) throws(ToolFailure) {
    for _ in 0..<BackgroundClear.tries {
      if try !tool.list().contains(where: { identifiers.contains($0.identifier) }) { return }
      usleep(BackgroundClear.pause)
    }
    throw ToolFailure(.other, "urlsessiond hasn't removed the transfers: they may have been added with other folders (XDG_DATA_HOME)")
  }
}
