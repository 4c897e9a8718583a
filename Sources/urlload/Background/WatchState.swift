import BackgroundTransfers

/// Compares successive lists of `watch`. A value without clock and connection.
struct WatchState {
  /// The transfers that have ended between two lists.
  struct Step {
    /// In the list as ended, for the first time.
    var ended: [TransferListing]
    /// Not listed any more: their apps have taken the events, or they have ended without events.
    var vanished: [TransferListing]
  }

  /// The transfers of the latest list that haven't ended, in its order.
  private(set) var active: [TransferListing] = []
  private var told: Set<Int64> = []

  mutating func take(_ list: [TransferListing]) -> Step {
    let listed = Set(list.map(\.identifier))
    let vanished = active.filter { !listed.contains($0.identifier) }
    active = list.filter { !WatchState.hasEnded($0) }
    let ended = list.filter { WatchState.hasEnded($0) && told.insert($0.identifier).inserted }
    return Step(ended: ended, vanished: vanished)
  }

  private static func hasEnded(_ listing: TransferListing) -> Bool {
    switch listing.phase {
    case .finished, .failed: true
    case .running, .waiting, .suspended: false
    }
  }
}

/// How a watched transfer has ended.
struct WatchedEnd: Equatable {
  /// The transfer as it was last listed; nil if it had ended before the watch began.
  var listing: TransferListing?
  let identifier: Int64
  /// nil if the log has no line about the end.
  let ending: LoggedEnding?

  /// The end of a transfer that is listed as ended.
  init(_ listing: TransferListing) {
    self.listing = listing
    identifier = listing.identifier
    ending = listing.phase == .failed ? .failed : .finished
  }

  /// The end of a transfer that isn't listed any more, taken from the log.
  /// - Parameters:
  ///   - last: The transfer as it was last listed; nil if it never was.
  ///   - log: The log's lines about the transfer.
  init(_ identifier: Int64, last: TransferListing?, log: [LogLine]) {
    self.identifier = identifier
    let line = log.last { $0.ending != nil }
    ending = line?.ending
    listing = last
    listing?.next = nil
    listing?.reason = ending == .finished ? nil : line?.text
    guard ending == .finished, let last else { return }
    // A finished transfer has sent and received everything, while the last list may have lower counts.
    listing?.sent = max(last.sent, last.expectedToSend)
    listing?.received = max(last.received, last.expectedToReceive)
  }

  /// "finished", "failed" or "cancelled"; "ended" if it isn't known how.
  var phase: String { ending?.rawValue ?? "ended" }
}
