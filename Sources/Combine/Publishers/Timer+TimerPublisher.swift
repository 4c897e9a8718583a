#if Combine
  import Foundation
  import OpenCombine

  extension Timer {
    /// A publisher that repeatedly publishes the current date on a run loop, starting with `connect()`.
    public final class TimerPublisher: ConnectablePublisher, @unchecked Sendable {
      // @unchecked: `subscriptions` is accessed under `lock`; all else is constant.

      /// The published values: the date at which each is published.
      public typealias Output = Date
      /// The publisher never fails, and never finishes.
      public typealias Failure = Never

      /// The time between two dates, in seconds.
      public let interval: TimeInterval
      /// By how many seconds the timer may be late; nil for a tolerance of 0.
      public let tolerance: TimeInterval?
      /// The run loop on whose thread dates are published while it is running.
      public let runLoop: RunLoop
      /// The run loop's mode in which the timer fires.
      public let mode: RunLoop.Mode
      /// The scheduler's options; there are none.
      public let options: RunLoop.SchedulerOptions?

      private let lock = NSLock()
      private var subscriptions: [CombineIdentifier: (Date) -> Void] = [:]

      /// A publisher of the current date every `interval` seconds, starting with `connect()`.
      public init(
        interval: TimeInterval, tolerance: TimeInterval? = nil, runLoop: RunLoop, mode: RunLoop.Mode,
        options: RunLoop.SchedulerOptions? = nil
      ) {
        (self.interval, self.tolerance, self.runLoop, self.mode, self.options) = (interval, tolerance, runLoop, mode, options)
      }

      /// Subscribes. The subscriber gets the dates of every connection.
      public func receive<S: Subscriber>(subscriber: S) where S.Failure == Never, S.Input == Date {
        let subscription = TimerSubscription(downstream: subscriber, publisher: self)
        lock.withLock { subscriptions[subscription.combineIdentifier] = { subscription.receive($0) } }
        subscriber.receive(subscription: subscription)
      }

      /// Starts a timer on the run loop, which keeps it until the returned connection is cancelled.
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
        // The closure is released after the lock, as it may hold the last reference to the subscriber.
        _ = lock.withLock { subscriptions.removeValue(forKey: identifier) }
      }
    }

    /// A publisher of the current date every `interval` seconds, starting with `connect()` or `autoconnect()`.
    /// - Parameters:
    ///   - tolerance: By how many seconds the timer may be late; nil for a tolerance of 0.
    ///   - runLoop: The run loop that publishes the dates while it runs in `mode`.
    public static func publish(
      every interval: TimeInterval, tolerance: TimeInterval? = nil, on runLoop: RunLoop, in mode: RunLoop.Mode,
      options: RunLoop.SchedulerOptions? = nil
    ) -> TimerPublisher {
      TimerPublisher(interval: interval, tolerance: tolerance, runLoop: runLoop, mode: mode, options: options)
    }
  }

  /// The connection that `connect()` returns. The timer, and so the run loop, keeps it: the dates continue even if the app releases it without
  /// cancelling.
  ///
  /// Until it is cancelled, the connection keeps the publisher alive. The timer's closure doesn't refer to the publisher itself, because Foundation
  /// may keep the closure longer.
  private final class TimerConnection: Cancellable, @unchecked Sendable {
    // @unchecked: all variables are accessed under `lock`.
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
