import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation

/// What the parts of the daemon tell the whole. They lie below it.
protocol DaemonHost: AnyObject {
  var isServing: Bool { get }
  var hasEnded: Bool { get }
  /// A transfer may be ready: the daemon looks for transfers to begin, soon.
  func requestTurn()
  /// A turn was taken.
  func hasTakenTurn()
  /// Lists that tools show are others.
  func toolsChanged()
  /// There may be no work any more. Cheap: called after whatever may have changed that.
  func considerIdleness()
  /// What the daemon's end waits for may be over.
  func considerEnd()
}

/// A part of the daemon, with its context. Confined to the daemon's queue, as all of them are.
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

  /// The transfer as the queue has it now; nil if it has ended, or can't be read at the moment.
  func readable(_ identifier: Int64) -> TransferQueue.Transfer? {
    do { return try queue.transfer(identifier) } catch {
      report("the queue can't be read: \(error)")
      return nil
    }
  }

  /// Does what may block beside the queue, and goes on with what it brings.
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

/// The parts that tell the whole of changes.
extension DaemonPart {
  var isServing: Bool { context.host?.isServing ?? false }
  func requestTurn() { context.host?.requestTurn() }
  func toolsChanged() { context.host?.toolsChanged() }
  func considerIdleness() { context.host?.considerIdleness() }
  func considerEnd() { context.host?.considerEnd() }
}
