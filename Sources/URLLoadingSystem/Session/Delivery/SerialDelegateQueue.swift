import Foundation
import struct Synchronization.Atomic

/// The serial delegate queue that a session makes if the app gives it none.
///
/// It runs on a dispatch queue of its own, which gets a thread when it needs one: a delegate that blocks on Swift's concurrency pool would take one
/// of its few threads, as many as there are processors.
///
/// The app can reach the queue, as `delegateQueue` or `OperationQueue.current`. Each use by which the app may put something between two delegate
/// calls is counted, and calls share an operation only while there is none.
final class SerialDelegateQueue: OperationQueue, @unchecked Sendable {
  // @unchecked: `count` and `isBypassed` are atomic, `serial` is immutable; what `OperationQueue` stores is thread-safe.

  // Kept here because an `OperationQueue` doesn't retain its underlying queue.
  private let serial = DispatchQueue(label: "URLSession delegate queue")
  private let count = Atomic(0)
  /// Whether the app has got the underlying dispatch queue, on which its blocks can't be counted.
  private let isBypassed = Atomic(false)

  override init() {
    super.init()
    name = "URLSession delegate queue"
    maxConcurrentOperationCount = 1
    super.underlyingQueue = serial
  }

  /// A counter of the app's uses: it changes whenever the app may have put something on the queue between two delegate calls.
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
