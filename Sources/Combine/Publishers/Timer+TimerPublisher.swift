#if Combine
  import Foundation
  import OpenCombine

  extension Timer {
    /// A publisher of the current date, again and again, on a run loop, from `connect()` on.
    public final class TimerPublisher: ConnectablePublisher, @unchecked Sendable {
      // @unchecked: `subscriptions` is behind `lock`, the rest doesn't change.

      /// The date of the moment.
      public typealias Output = Date
      /// It never fails, and never ends.
      public typealias Failure = Never

      /// Seconds between two dates.
      public let interval: TimeInterval
      /// Seconds by which a date may be late; nil for any.
      public let tolerance: TimeInterval?
      /// The run loop on whose thread dates are published, while it runs.
      public let runLoop: RunLoop
      /// The run loop's mode in which the timer fires.
      public let mode: RunLoop.Mode
      /// The scheduler's options, of which there are none.
      public let options: RunLoop.SchedulerOptions?

      private let lock = NSLock()
      private var subscriptions: [CombineIdentifier: (Date) -> Void] = [:]

      /// A publisher of the date every `interval` seconds.
      public init(
        interval: TimeInterval, tolerance: TimeInterval? = nil, runLoop: RunLoop, mode: RunLoop.Mode,
        options: RunLoop.SchedulerOptions? = nil
      ) {
        (self.interval, self.tolerance, self.runLoop, self.mode, self.options) = (interval, tolerance, runLoop, mode, options)
      }

      /// Subscribes to the dates of every connection.
      public func receive<S: Subscriber>(subscriber: S) where S.Failure == Never, S.Input == Date {
        let subscription = TimerSubscription(downstream: subscriber, publisher: self)
        lock.withLock { subscriptions[subscription.combineIdentifier] = { subscription.receive($0) } }
        subscriber.receive(subscription: subscription)
      }

      /// Starts a timer, which the run loop keeps until the connection is cancelled.
      public func connect() -> any Cancellable {
        let connection = TimerConnection(self)
        let timer = Timer(timeInterval: interval, repeats: true) { _ in connection.fire() }
        timer.tolerance = tolerance ?? 0
        connection.begin(timer)
        runLoop.add(timer, forMode: mode)
        return connection
      }

      fileprivate func fire() {
        let receivers = lock.withLock { Array(subscriptions.values) }
        let now = Date()
        for receive in receivers { receive(now) }
      }

      func remove(_ identifier: CombineIdentifier) {
        // Released after the lock: it may be the last reference to the subscriber.
        _ = lock.withLock { subscriptions.removeValue(forKey: identifier) }
      }
    }

    /// A publisher of the current date every `interval` seconds, from `connect()` or `autoconnect()` on.
    /// - Parameters:
    ///   - tolerance: Seconds by which a date may be late; nil for any.
    ///   - runLoop: Where dates are published, while it runs in `mode`.
    public static func publish(
      every interval: TimeInterval, tolerance: TimeInterval? = nil, on runLoop: RunLoop, in mode: RunLoop.Mode,
      options: RunLoop.SchedulerOptions? = nil
    ) -> TimerPublisher {
      TimerPublisher(interval: interval, tolerance: tolerance, runLoop: runLoop, mode: mode, options: options)
    }
  }

  /// What `connect()` returns. Kept by the timer, and so by the run loop: it doesn't end when the app releases it.
  ///
  /// It keeps the publisher until it is cancelled, and not the timer's closure, which Foundation may keep longer.
  private final class TimerConnection: Cancellable, @unchecked Sendable {
    // @unchecked: what changes is behind `lock`.
    private let lock = NSLock()
    private var publisher: Timer.TimerPublisher?
    private var timer: Timer?

    init(_ publisher: Timer.TimerPublisher) { self.publisher = publisher }

    func begin(_ timer: Timer) { lock.withLock { self.timer = timer } }

    func fire() { lock.withLock { publisher }?.fire() }

    func cancel() {
      let (timer, _) = lock.withLock { () -> (Timer?, Timer.TimerPublisher?) in
        defer { (self.timer, publisher) = (nil, nil) }
        return (self.timer, publisher)
      }
      timer?.invalidate()
    }
  }
#endif
