import Foundation

/// What a transfer in memory is doing. One that only waits for a moment, or for a place, has no phase: it is a row on the disk.
///
///     (row) ──▸ asking ──▸ checking ──▸ running ──▸ settling ──▸ ending ──▸ (row of an event)
///       ▴                                  │
///       └──────── retrying, held ◂─────────┘
enum TransferPhase: Sendable, Equatable {
  /// Its app is asked whether it may begin.
  case asking(question: Int64)
  /// Its source is looked at; `hangs` if the disk doesn't answer.
  case checking(session: Int64, hangs: Bool)
  /// A task carries it.
  case running(Running)
  /// It is complete: its file is brought to the disk, or to its destination.
  case settling
  /// It has ended, and the disk doesn't know it yet; `hasFailed` if the disk was asked and didn't take it.
  case ending(hasFailed: Bool)
  /// It waits for its next attempt because of the network, whose change ends the wait.
  case retrying(attempts: Int)
  /// The disk hasn't taken its pause: until then it isn't begun. With the attempts of one that waits because of the network.
  case held(until: Date, attempts: Int?)

  /// A transfer with a task.
  struct Running: Sendable, Equatable {
    enum Place: Sendable, Equatable {
      /// It takes one of the places.
      case taken
      /// Its app is asked something: another transfer may have its place.
      case lent
      /// It keeps its connection for a while; its app may have been asked something before.
      case suspended(isAsked: Bool)
    }

    let session: Int64
    /// Bytes of the request, which the task has in memory.
    let size: Int
    var place = Place.taken
  }
}
