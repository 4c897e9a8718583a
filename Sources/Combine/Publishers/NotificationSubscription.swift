#if Combine
  import Foundation
  import OpenCombine

  /// The object that the notification center calls. The protocol hides the subscriber's type, which isn't `Sendable` and must not be captured by the
  /// center's closure.
  protocol NotificationReceiver: AnyObject, Sendable {
    func receive(_ notification: Notification)
  }

  extension NotificationCenter.Publisher {
    /// Makes the center call `receiver` for each notification, until the returned object is removed from the center. Refers to `receiver` weakly.
    fileprivate func addObserver(_ receiver: any NotificationReceiver) -> any NSObjectProtocol {
      center.addObserver(forName: name, object: object, queue: nil) { [weak receiver] in receiver?.receive($0) }
    }
  }

  /// One subscription to the notifications of a center. Owned by the subscriber; ends when it is cancelled or released.
  final class NotificationSubscription<Downstream: Subscriber>: Subscription, NotificationReceiver, @unchecked Sendable
  where Downstream.Input == Notification, Downstream.Failure == Never {
    // @unchecked: all variables are accessed under `lock`.
    private let lock = NSLock()
    /// Held while the subscriber is called, because several threads may post at the same time and a subscriber must be called by one at a time.
    /// Recursive, because a subscriber may post a notification itself.
    private let calling = NSRecursiveLock()
    private var demand = Subscribers.Demand.none
    private var downstream: Downstream?
    private var publisher: NotificationCenter.Publisher?
    private var observer: (any NSObjectProtocol)?

    init(downstream: Downstream) { self.downstream = downstream }

    deinit { if let observer { publisher?.center.removeObserver(observer) } }

    func observe(_ publisher: NotificationCenter.Publisher) {
      let observer = publisher.addObserver(self)
      lock.withLock { (self.publisher, self.observer) = (publisher, observer) }
    }

    func receive(_ notification: Notification) {
      calling.lock()
      defer { calling.unlock() }
      let downstream = lock.withLock { () -> Downstream? in
        guard demand > 0 else { return nil }
        demand -= 1
        return self.downstream
      }
      guard let downstream else { return }
      request(downstream.receive(notification))
    }

    func request(_ demand: Subscribers.Demand) {
      lock.withLock { if downstream != nil { self.demand += demand } }
    }

    func cancel() {
      // The publisher, with its object, and the subscriber are released after the lock, because their deinitializers may run the app's code.
      let (publisher, observer, _) = lock.withLock { () -> (NotificationCenter.Publisher?, (any NSObjectProtocol)?, Downstream?) in
        defer {
          demand = .none
          (self.publisher, self.observer, self.downstream) = (nil, nil, nil)
        }
        return (self.publisher, self.observer, downstream)
      }
      if let observer { publisher?.center.removeObserver(observer) }
    }
  }

  extension NotificationSubscription: CustomStringConvertible {
    var description: String { "NotificationCenter Observer" }
  }
#endif
