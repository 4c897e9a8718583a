import Foundation
import LoadingModel
import NIOCore

/// Threads that run blocking work, in the order in which it was handed in. Each is started when there is work and none is free, up to a limit,
/// and is never torn down: a process that blocks rarely has few.
package final class WorkerThreads: @unchecked Sendable {
  // @unchecked: `waiting`, `idle` and `started` are accessed with `condition` locked alone; the rest is immutable.
  private let condition = NSCondition()
  private let name: String
  private let limit: Int
  private var waiting = CircularBuffer<@Sendable () -> Void>()
  private var idle = 0
  private var started = 0

  /// - Parameters:
  ///   - name: Of the threads, as debuggers show it.
  ///   - limit: Threads at most, at least 1.
  package init(_ name: String, limit: Int) {
    self.name = name
    self.limit = max(1, limit)
  }

  /// Runs `work` on one of the threads, soon.
  package func submit(_ work: @escaping @Sendable () -> Void) {
    condition.lock()
    waiting.append(work)
    let needsThread = idle < waiting.count && started < limit
    if needsThread { started += 1 } else { condition.signal() }
    condition.unlock()
    guard needsThread else { return }
    let thread = Thread { [self] in serve() }
    thread.name = name
    thread.start()
  }

  /// Runs `work` on one of the threads and delivers its result on `eventLoop`.
  package func run<Value: Sendable>(on eventLoop: any EventLoop, _ work: @escaping @Sendable () throws -> Value) -> EventLoopFuture<Value> {
    let promise = eventLoop.makePromise(of: Value.self)
    submit { promise.completeWith(Result(catching: work)) }
    return promise.futureResult
  }

  private func serve() {
    while true { next()() }
  }

  private func next() -> @Sendable () -> Void {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let work = waiting.popFirst() { return work }
      idle += 1
      condition.wait()
      idle -= 1
    }
  }
}
