import LoadingModel

/// The threads of all instances of the app's protocol classes. One for the process, made at the first use; thread-safe.
final class ProtocolThreads: Sendable {
  static let shared = ProtocolThreads()

  private let threads = Mutex<[ProtocolThread]>([])

  /// The thread on which a new load's instance is to live. The load gives it back by `release`.
  func lease() -> ProtocolThread {
    threads.withLock { threads in
      let thread: ProtocolThread
      switch ProtocolThreadDecision.decide(threads.map { ProtocolThreadDecision.Use(loads: $0.loads, isInCall: $0.isInCall) }) {
      case .existing(let index): thread = threads[index]
      case .new:
        thread = ProtocolThread()
        threads.append(thread)
      }
      thread.loads += 1
      return thread
    }
  }

  func release(_ thread: ProtocolThread) {
    let isSurplus = threads.withLock { threads in
      thread.loads -= 1
      guard thread.loads == 0, threads.count > ProtocolThreadDecision.kept else { return false }
      threads.removeAll { $0 === thread }
      return true
    }
    if isSurplus { thread.end() }
  }
}

/// Which thread a new load of an app's protocol class gets: one of its own while there are few loads, as classes may wait for other
/// loads of such classes.
enum ProtocolThreadDecision: Equatable {
  case existing(Int)
  case new

  struct Use {
    /// Loads that live there.
    var loads: Int
    /// Whether a call of the app's runs there, or waits for its turn.
    var isInCall: Bool
  }

  /// Threads before loads share any.
  static let own = 16
  /// Threads that stay when their loads have ended.
  static let kept = 4
  /// Threads at most: where the app's code blocks in all others, a new load gets another one.
  static let limit = 255

  static func decide(_ threads: [Use]) -> ProtocolThreadDecision {
    // Where a call hasn't returned though its load has ended, the app turns the run loop inside of it.
    if let unused = threads.firstIndex(where: { $0.loads == 0 && !$0.isInCall }) { return .existing(unused) }
    guard threads.count >= own else { return .new }
    if let free = leastUsed(threads, threads.indices.filter { !threads[$0].isInCall }) { return .existing(free) }
    guard threads.count >= limit, let shared = leastUsed(threads, Array(threads.indices)) else { return .new }
    return .existing(shared)
  }

  private static func leastUsed(_ threads: [Use], _ candidates: [Int]) -> Int? {
    candidates.min { threads[$0].loads < threads[$1].loads }
  }
}
