import LoadingModel

/// The threads for instances of the app's protocol classes. One pool for the process, made when first used; thread-safe.
final class ProtocolThreads: Sendable {
  static let shared = ProtocolThreads()

  private let threads = Mutex<[ProtocolThread]>([])

  /// The thread on which a new load's instance lives until the load calls `release`.
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

/// Decides on which thread a new load of an app's protocol class runs: while there are few loads, on one of its own, since a class may block until
/// another such load has ended.
enum ProtocolThreadDecision: Equatable {
  case existing(Int)
  case new

  struct Use {
    /// The number of loads whose instances live on the thread.
    var loads: Int
    /// Whether a call of the app's code is running or queued on the thread.
    var isInCall: Bool
  }

  /// The number of threads up to which each load gets its own.
  static let own = 16
  /// The number of threads that are kept when their loads have ended.
  static let kept = 4
  /// The largest number of threads: until it is reached, a new load gets a thread of its own if the app's code is running in all others.
  static let limit = 255

  static func decide(_ threads: [Use]) -> ProtocolThreadDecision {
    // A thread without loads that is still in a call can't be used: the app runs the run loop inside that call.
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
