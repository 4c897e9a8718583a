import Foundation

/// The serial queue that a session makes where it is given none.
///
/// It stands on a dispatch queue of its own, which gets a thread when it must: a delegate that blocks would otherwise take one of the few
/// threads, as many as there are processors, on which all Swift tasks run.
final class SerialDelegateQueue: OperationQueue, @unchecked Sendable {
  // Kept here because an operation queue doesn't keep its underlying queue.
  private let serial = DispatchQueue(label: "URLSession delegate queue")

  override init() {
    super.init()
    name = "URLSession delegate queue"
    maxConcurrentOperationCount = 1
    underlyingQueue = serial
  }
}
