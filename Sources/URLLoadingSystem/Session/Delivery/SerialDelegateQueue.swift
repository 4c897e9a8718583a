import Foundation
import struct Synchronization.Atomic

/// The serial queue that a session makes where it is given none.
///
/// It runs on a dispatch queue of its own, which gets a thread when it must: a delegate that blocks would otherwise take one of the few
/// threads, as many as there are processors, on which all Swift tasks run.
///
/// The app can reach it, as `delegateQueue` or `OperationQueue.current`: each use that may put something between two calls is counted, and
/// calls share an operation only while there is none.
final class SerialDelegateQueue: OperationQueue, @unchecked Sendable {
  // @unchecked: `count` and `isBypassed` are atomic, `serial` is immutable; what `OperationQueue` stores is thread-safe.

  // Kept here because an operation queue doesn't keep its underlying queue.
  private let serial = DispatchQueue(label: "URLSession delegate queue")
  private let count = Atomic(0)
  /// What the app puts on the underlying queue can't be counted.
  private let isBypassed = Atomic(false)

  override init() {
    super.init()
    name = "URLSession delegate queue"
    maxConcurrentOperationCount = 1
    super.underlyingQueue = serial
  }

  /// Changes whenever something else than the session's calls may have been put on the queue.
  var uses: Int {
    if isBypassed.load(ordering: .relaxed) { note() }
    return count.load(ordering: .relaxed)
  }

  private func note() { count.wrappingAdd(1, ordering: .relaxed) }

  override func addOperation(_ operation: Operation) {
    note()
    super.addOperation(operation)
  }

  override func addOperation(_ block: @escaping @Sendable () -> Void) {
    note()
    super.addOperation(block)
  }

  override func addOperations(_ operations: [Operation], waitUntilFinished wait: Bool) {
    note()
    super.addOperations(operations, waitUntilFinished: wait)
  }

  override func addBarrierBlock(_ barrier: @escaping @Sendable () -> Void) {
    note()
    super.addBarrierBlock(barrier)
  }

  override var isSuspended: Bool {
    get { super.isSuspended }
    set {
      note()
      super.isSuspended = newValue
    }
  }

  override var maxConcurrentOperationCount: Int {
    get { super.maxConcurrentOperationCount }
    set {
      note()
      super.maxConcurrentOperationCount = newValue
    }
  }

  override var underlyingQueue: DispatchQueue? {
    get {
      isBypassed.store(true, ordering: .relaxed)
      return super.underlyingQueue
    }
    set {
      isBypassed.store(true, ordering: .relaxed)
      super.underlyingQueue = newValue
    }
  }
}
