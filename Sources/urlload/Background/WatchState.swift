import BackgroundTransfers

/// What has changed between two lists that `watch` was sent. A value without clock and connection.
struct WatchState {
  /// What a new list says.
  struct Step {
    /// In the list as ended, for the first time.
    var ended: [TransferListing]
    /// Not listed any more: taken by their apps, or done and of no further use.
    var vanished: [TransferListing]
  }

  /// Those that haven't ended, in the order of the list.
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

/// How a transfer that was watched has ended.
struct WatchedEnd: Equatable {
  /// As it was last seen; nil if it had ended before.
  var listing: TransferListing?
  let identifier: Int64
  /// nil if the log doesn't say so.
  let ending: LoggedEnding?

  /// One that the list shows as ended.
  init(_ listing: TransferListing) {
    self.listing = listing
    identifier = listing.identifier
    ending = listing.phase == .failed ? .failed : .finished
  }

  /// One that isn't listed.
  /// - Parameter log: The lines about it.
  init(_ identifier: Int64, last: TransferListing?, log: [LogLine]) {
    self.identifier = identifier
    let line = log.last { $0.ending != nil }
    ending = line?.ending
    listing = last
    listing?.next = nil
    listing?.reason = ending == .finished ? nil : line?.text
    guard ending == .finished, let last else { return }
    // The last counts that were seen may be older.
    listing?.sent = max(last.sent, last.expectedToSend)
    listing?.received = max(last.received, last.expectedToReceive)
  }

  /// "finished", "failed", "cancelled"; "ended" if that isn't known.
  var phase: String { ending?.rawValue ?? "ended" }
}
