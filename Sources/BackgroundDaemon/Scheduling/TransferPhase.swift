import Foundation

/// What a transfer in memory is doing. A transfer that only waits for a moment or for a place has no phase: it is a row of the database.
///
///     (row) ──▸ asking ──▸ checking ──▸ running ──▸ settling ──▸ ending ──▸ (row of an event)
///       ▴                                  │
///       └──────── retrying, held ◂─────────┘
enum TransferPhase: Sendable, Equatable {
  /// The app is asked by `willBeginDelayedRequest` whether the transfer may begin.
  case asking(question: Int64)
  /// The file to upload is being checked; `hangs` if its disk hasn't answered for a while.
  case checking(session: Int64, hangs: Bool)
  /// A URLSession task carries the transfer.
  case running(Running)
  /// The response is complete: its file is being synchronized to the disk, or put at its destination.
  case settling
  /// The transfer has ended, and its end is being stored; `hasFailed` if the disk has refused that so far.
  case ending(hasFailed: Bool)
  /// The transfer waits for its next attempt after a network failure; a change of the networks ends the wait.
  case retrying(attempts: Int)
  /// The disk has refused to store when the next attempt is, so this is kept in memory: the transfer doesn't begin before `until`. `attempts` is set
  /// if a network failure is the reason for the wait.
  case held(until: Date, attempts: Int?)

  /// A transfer with a task.
  struct Running: Sendable, Equatable {
    enum Place: Sendable, Equatable {
      /// The transfer takes one of the places for running transfers.
      case taken
      /// The transfer's app is being asked something; another transfer may run in its place meanwhile.
      case lent
      /// The transfer is suspended, and keeps its connection for a while; `isAsked` if its app was being asked something before.
      case suspended(isAsked: Bool)
    }

    let session: Int64
    /// Bytes of the request, which the task has in memory.
    let size: Int
    var place = Place.taken
  }
}
