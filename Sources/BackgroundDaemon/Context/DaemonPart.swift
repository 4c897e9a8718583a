import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation

/// What the parts of the daemon tell the daemon as a whole (`DaemonCore`), which they don't know otherwise.
protocol DaemonHost: AnyObject {
  var isServing: Bool { get }
  var hasEnded: Bool { get }
  /// A transfer may have become ready: the daemon looks soon which transfers begin.
  func requestTurn()
  /// A turn, the daemon's look at which transfers begin, is over.
  func hasTakenTurn()
  /// The lists that `urlload background` watches have changed: new ones are sent soon.
  func toolsChanged()
  /// Called after anything that may have ended the last work: the daemon begins to count its idle time if nothing is left. Cheap.
  func considerIdleness()
  /// Called when work is done that an ending daemon waits for: the daemon ends if that was the last of it.
  func considerEnd()
}

/// One duty of the daemon as an object, with the context that all parts share. Confined to the daemon's queue.
protocol DaemonPart: AnyObject, Sendable {
  var context: DaemonContext { get }
}

extension DaemonPart {
  var options: DaemonSettings { context.options }
  var queue: TransferQueue { context.queue }
  var files: TransferFiles { context.files }
  var loop: DispatchQueue { context.loop }
  var now: Date { context.now }
  var wallTime: Date { context.wallTime }

  func record(of session: Int64) throws -> QueueSessions.Session? { try context.record(of: session) }
  func note(_ text: String, transfer: Int64? = nil) { context.note(text, transfer: transfer) }
  func report(_ text: String) { context.report(text) }

  /// The transfer as it is on disk now; nil if it has ended, or if the disk can't be read, which is reported.
  func readable(_ identifier: Int64) -> TransferQueue.Transfer? {
    do { return try queue.transfer(identifier) } catch {
      report("the queue can't be read: \(error)")
      return nil
    }
  }

  /// Runs `work`, which may block, on a thread of the lane; then calls `then` with its result on the daemon's queue.
  func beside<Value: Sendable>(
    _ lane: BlockingLanes.Lane, _ work: @escaping @Sendable () -> Value, then: @escaping @Sendable (Self, Value) -> Void
  ) {
    context.lanes.run(lane) { [weak self] in
      let value = work()
      guard let self else { return }
      loop.async { then(self, value) }
    }
  }
}

/// Shortcuts to `DaemonHost`, which do nothing once the daemon is gone.
extension DaemonPart {
  var isServing: Bool { context.host?.isServing ?? false }
  func requestTurn() { context.host?.requestTurn() }
  func toolsChanged() { context.host?.toolsChanged() }
  func considerIdleness() { context.host?.considerIdleness() }
  func considerEnd() { context.host?.considerEnd() }
}
