import BackgroundTransfers

/// Follows transfers until they have ended; connects again where the daemon is ended meanwhile.
final class TransferWatch {
  /// Maximum number of connections in a row that end without having brought a list.
  private static let longestTrouble = 5
  /// Number of the latest log lines of a transfer that are searched for its end.
  private static let lines = 20

  private let transfer: Int64?
  private let places: BackgroundPlaces
  private let display: WatchDisplay
  private var state = WatchState()
  private var trouble = 0
  private var hasFailed = false

  /// - Parameter transfer: The transfer to watch; nil for all.
  init(_ transfer: Int64?, _ places: BackgroundPlaces, _ display: WatchDisplay) {
    self.transfer = transfer
    self.places = places
    self.display = display
  }

  /// Shows the transfers until all have ended. Blocks.
  /// - Returns: Whether all have succeeded.
  func run() throws(ToolFailure) -> Bool {
    defer { display.finish() }
    while true {
      do throws(ToolFailure) {
        try follow()
        return !hasFailed
      } catch {
        trouble += 1
        guard error.status == .connectionLost, trouble < TransferWatch.longestTrouble else { throw error }
      }
    }
  }

  private func follow() throws(ToolFailure) {
    let connection = try DaemonConnection(places)
    try connection.send(.tool(.watch(transfer)))
    var list = try connection.nextList()
    try beginning(list)
    while true {
      trouble = 0
      try show(state.take(list))
      if state.active.isEmpty { return }
      display.show(state.active)
      list = try connection.nextList()
    }
  }

  /// Handles an empty first list: writes that there are no transfers, or how the given one has ended according to the log.
  private func beginning(_ list: [TransferListing]) throws(ToolFailure) {
    guard list.isEmpty, state.active.isEmpty else { return }
    guard let transfer else { return display.showNothing() }
    let log = try DaemonConnection(places).log(transfer, limit: TransferWatch.lines)
    guard !log.isEmpty else {
      throw ToolFailure(.other, "there is no transfer \(transfer); 'urlload background list' shows those there are")
    }
    note(WatchedEnd(transfer, last: nil, log: log))
  }

  private func show(_ step: WatchState.Step) throws(ToolFailure) {
    for listing in step.ended { note(WatchedEnd(listing)) }
    guard !step.vanished.isEmpty else { return }
    let connection = try DaemonConnection(places)
    for listing in step.vanished {
      let log = try connection.log(listing.identifier, limit: TransferWatch.lines)
      note(WatchedEnd(listing.identifier, last: listing, log: log))
    }
  }

  private func note(_ end: WatchedEnd) {
    display.show(end)
    if end.ending != .finished { hasFailed = true }
  }
}
