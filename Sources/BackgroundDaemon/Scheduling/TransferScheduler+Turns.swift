import BackgroundTransfers
import Foundation

// Turns: the daemon reads waiting transfers from the disk, and the scheduler decides which of them begin.

extension TransferScheduler {
  /// Number of waiting transfers beyond the free places that a turn reads, after a turn in which the machine's conditions have put off some.
  static let lookAhead = 64
  /// Maximum number of running transfers per place whose app isn't being asked anything, including those whose tasks are suspended.
  private static let runsOfPlace = 4

  /// What a turn asks the database for.
  struct Room: Equatable {
    /// How many transfers may begin.
    var free: Int
    /// How many transfers are read at most: the free places, and more if some are likely to be put off.
    var limit: Int
    /// Bytes that the requests of the transfers read may have together.
    var bytes: Int
    /// Transfers under way, which the database leaves out.
    var busy: Set<Int64>
    /// How many transfers of each session are under way.
    var shares: [Int64: Int]
    /// Whether the database leaves out sessions that have their full share under way; otherwise `admit` does.
    var leavesOutFullSessions: Bool
  }

  /// What a turn may begin now.
  /// - Returns: nil if no place is free, or no memory for requests.
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
    /// The transfers that begin now, in this order.
    var begins: [Int64] = []
    var putOff: [Int64: PutOff] = [:]
    /// Whether the turn has used all free places.
    var isFull = false
    /// Whether places are free although some transfers were put off: the next turn reads further ones.
    var looksFurther = false
  }

  /// Decides which of the waiting transfers begin.
  /// - Parameters:
  ///   - ready: Transfers that the database has as ready, the first to begin first.
  ///   - obstacle: Why the machine's conditions put off a transfer; nil if they don't. Asked only for transfers that would begin otherwise.
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

  /// The moment of the next turn if nothing else causes one before; nil if none is needed.
  ///
  /// - Parameters:
  ///   - deadline: The earliest deadline of all transfers.
  ///   - moment: When the next waiting transfer is ready. Ignored while no place is free, because the end of a transfer causes a turn then.
  func nextTurn(deadline: Date?, moment: Date?, isFull: Bool, now: Date) -> Date? {
    let moments = isFull ? [deadline] : [deadline, moment, nextRelease]
    guard let next = moments.compactMap({ $0 }).min() else { return nil }
    // The deadline is over already, and its transfer is being ended: looking again at once would be in vain.
    return next > now ? next : now.addingTimeInterval(1)
  }
}
