import BackgroundTransfers

/// Follows transfers until they have ended; connects again where the daemon is ended meanwhile.
final class TransferWatch {
  /// How often in turn a connection may end without having brought anything.
  private static let longestTrouble = 5
  /// Lines of a transfer's log in which its end is looked for.
  private static let lines = 20

  private let transfer: Int64?
  private let places: BackgroundPlaces
  private let display: WatchDisplay
  private var state = WatchState()
  private var trouble = 0
  private var hasFailed = false

  /// - Parameter transfer: nil for all.
  init(_ transfer: Int64?, _ places: BackgroundPlaces, _ display: WatchDisplay) {
    self.transfer = transfer
    self.places = places
    self.display = display
  }

  /// Blocks until they have ended.
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

  /// What there is to say where nothing is listed from the beginning on.
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
