import Foundation

extension NotificationCenter {
  /// The notifications of one name as a sequence.
  ///
  ///     for await notification in NotificationCenter.default.notifications(named: .NSHTTPCookieManagerCookiesChanged) { … }
  ///
  /// - Parameters:
  ///   - name: Which notifications.
  ///   - object: Those of this object alone; nil: of all. The sequence keeps it.
  public func notifications(named name: Notification.Name, object: AnyObject? = nil) -> Notifications {
    Notifications(center: self, name: name, object: object)
  }

  /// Notifications as they are posted, from `notifications(named:object:)`.
  ///
  /// Observing begins when an iterator is made, which is what `for await` does first, and ends with the iterator or when its Swift task is
  /// cancelled. Each iterator gets every notification. What is posted while the loop is busy waits: the newest 1024 of it.
  public final class Notifications: AsyncSequence, @unchecked Sendable {
    // @unchecked: immutable; `object` is only compared, by the center.
    /// What is posted.
    public typealias Element = Notification
    /// Nothing is thrown.
    public typealias Failure = Never

    /// Waiting notifications of one iterator. Apple documents no number; it bounds the memory of a loop that hangs.
    static let capacity = 1024

    private let center: NotificationCenter
    private let name: Notification.Name
    private let object: AnyObject?

    init(center: NotificationCenter, name: Notification.Name, object: AnyObject?) {
      self.center = center
      self.name = name
      self.object = object
    }

    /// Begins to observe.
    public func makeAsyncIterator() -> Iterator { Iterator(center, name, object) }

    /// Waits for one notification after another.
    public struct Iterator: AsyncIteratorProtocol {
      private var posted: AsyncStream<Posted>.Iterator

      fileprivate init(_ center: NotificationCenter, _ name: Notification.Name, _ object: AnyObject?) {
        let (stream, continuation) = AsyncStream.makeStream(of: Posted.self, bufferingPolicy: .bufferingNewest(Notifications.capacity))
        let registration = NotificationRegistration()
        let observer = center.addObserver(forName: name, object: object, queue: nil) { continuation.yield(Posted(notification: $0)) }
        registration.begin(observer, center)
        continuation.onTermination = { _ in registration.end() }
        posted = stream.makeAsyncIterator()
      }

      /// The next notification; nil once the Swift task has been cancelled.
      public mutating func next() async -> Notification? { await next(isolation: nil) }

      /// The next notification; nil once the Swift task has been cancelled.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> Notification? {
        await posted.next(isolation: actor)?.notification
      }
    }
  }
}

/// A notification on its way from the thread that posted it.
private struct Posted: @unchecked Sendable {
  // @unchecked: as with a block on a queue, the poster answers for what is in the notification.
  let notification: Notification
}
