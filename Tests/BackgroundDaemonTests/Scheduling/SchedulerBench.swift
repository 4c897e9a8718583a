import Foundation

@testable import BackgroundDaemon
@testable import BackgroundTransfers

/// Schedulers with transfers in chosen phases, and rows as the queue offers them.
enum SchedulerBench {
  static let now = Date(timeIntervalSince1970: 1_000_000)

  static func scheduler(running: Int = 4, ofSession: Int = 3, bytes: Int = 1000) -> TransferScheduler {
    TransferScheduler(TransferScheduler.Limits(running: running, ofSession: ofSession, requestBytes: bytes))
  }

  /// One whose transfer 1, of session 1, is in the phase.
  static func scheduler(_ phase: TransferPhase?) -> TransferScheduler {
    var scheduler = scheduler()
    scheduler.move(1, to: phase)
    return scheduler
  }

  /// One with so many running transfers of session 1, numbered from 1.
  static func running(_ count: Int, limit: Int = 4, ofSession: Int = 3, bytes: Int = 1000, size: Int = 10) -> TransferScheduler {
    var scheduler = scheduler(running: limit, ofSession: ofSession, bytes: bytes)
    for identifier in 1...Int64(max(1, count)) where count > 0 { scheduler.starts(identifier, of: 1, size: size) }
    return scheduler
  }

  static func row(_ identifier: Int64, of session: Int64 = 1) -> TransferQueue.Transfer {
    TransferQueue.Transfer(
      identifier: identifier, session: session, order: TransferOrder(task: 1, kind: .download, request: Data(), shownURL: ""),
      isSuspended: false, attempts: 0,
      progress: TransferProgress(task: 1, sent: 0, received: 0, expectedToSend: 0, expectedToReceive: -1), created: now, deadline: now)
  }

  /// Every phase, and none.
  static let phases: [TransferPhase?] = [
    nil, .asking(question: 7), .checking(session: 1, hangs: false), .checking(session: 1, hangs: true),
    .running(TransferPhase.Running(session: 1, size: 10)),
    .running(TransferPhase.Running(session: 1, size: 10, place: .lent)),
    .running(TransferPhase.Running(session: 1, size: 10, place: .suspended(isAsked: false))), .settling, .ending(hasFailed: false),
    .ending(hasFailed: true), .retrying(attempts: 2), .held(until: now, attempts: nil), .held(until: now, attempts: 2),
  ]
}

extension TransferPhase {
  /// For claims about phases as a whole.
  enum Kind: Sendable { case asking, checking, running, settling, ending, retrying, held }

  var kind: Kind {
    switch self {
    case .asking: .asking
    case .checking: .checking
    case .running: .running
    case .settling: .settling
    case .ending: .ending
    case .retrying: .retrying
    case .held: .held
    }
  }
}
