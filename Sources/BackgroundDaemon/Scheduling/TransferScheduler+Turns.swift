import BackgroundTransfers
import Foundation

// Turns: which of the transfers that wait on the disk begin.

extension TransferScheduler {
  /// How many waiting transfers one turn looks at beyond the free places, where the system's conditions put some off.
  static let lookAhead = 64
  /// How many runs there may be for each place, those included whose tasks are suspended.
  private static let runsOfPlace = 4

  /// What the disk is asked for.
  struct Room: Equatable {
    /// How many may begin.
    var free: Int
    /// How many are looked at.
    var limit: Int
    /// Bytes of their requests.
    var bytes: Int
    /// Those that aren't to be begun.
    var busy: Set<Int64>
    /// How many of each session are under way.
    var shares: [Int64: Int]
    /// Whether sessions that have enough under way are left out by the disk already.
    var leavesOutFullSessions: Bool
  }

  /// A turn begins.
  /// - Returns: nil if no place is free.
  mutating func room(_ now: Date) -> Room? {
    let free = limits.running - tally.active
    guard free > 0, tally.undecided < TransferScheduler.runsOfPlace * limits.running else { return nil }
    release(now)
    let bytes = limits.requestBytes - tally.requestBytes
    guard bytes > 0 || tally.running == 0 else { return nil }
    return Room(
      free: free, limit: free + (hasPutOff ? TransferScheduler.lookAhead : 0), bytes: max(1, bytes), busy: tally.busy, shares: tally.shares,
      leavesOutFullSessions: !hasPutOff)
  }

  struct PutOff: Equatable {
    var reason: String
    var until: Date
  }

  struct Admission: Equatable {
    /// In their order.
    var begins: [Int64] = []
    var putOff: [Int64: PutOff] = [:]
    /// Whether no place is left.
    var isFull = false
    /// Whether places are left although some were put off: the next turn looks at more.
    var looksFurther = false
  }

  /// - Parameters:
  ///   - ready: Transfers of the disk, the first to begin first.
  ///   - obstacle: What the system's conditions have against one. Asked for those that would begin.
  mutating func admit(
    _ ready: [TransferQueue.Transfer], to room: Room, obstacle: (TransferQueue.Transfer) throws -> PutOff?
  ) rethrows -> Admission {
    var (admission, shares) = (Admission(), room.shares)
    for transfer in ready where admission.begins.count < room.free {
      guard shares[transfer.session, default: 0] < limits.ofSession else { continue }
      if let putOff = try obstacle(transfer) {
        admission.putOff[transfer.identifier] = putOff
      } else {
        shares[transfer.session, default: 0] += 1
        admission.begins.append(transfer.identifier)
      }
    }
    hasPutOff = !admission.putOff.isEmpty
    admission.isFull = admission.begins.count == room.free
    admission.looksFurther = hasPutOff && !admission.isFull
    return admission
  }

  /// When the next turn comes if nothing else happens.
  ///
  /// - Parameters:
  ///   - deadline: The first of all transfers.
  ///   - moment: When the next of those that wait for a moment is ready. While no place is free the next end brings the next turn.
  func nextTurn(deadline: Date?, moment: Date?, isFull: Bool, now: Date) -> Date? {
    let moments = isFull ? [deadline] : [deadline, moment, nextRelease]
    guard let next = moments.compactMap({ $0 }).min() else { return nil }
    // What was overdue already is being ended.
    return next > now ? next : now.addingTimeInterval(1)
  }
}
