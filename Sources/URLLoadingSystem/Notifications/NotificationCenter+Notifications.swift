import Foundation

extension NotificationCenter {
  /// The notifications of one name as a sequence.
  ///
  ///     for await notification in NotificationCenter.default.notifications(named: .NSHTTPCookieManagerCookiesChanged) { … }
  ///
  /// - Parameters:
  ///   - name: The name of the notifications.
  ///   - object: The sender of the notifications; nil for all senders. The sequence retains it.
  public func notifications(named name: Notification.Name, object: AnyObject? = nil) -> Notifications {
    Notifications(center: self, name: name, object: object)
  }

  /// An asynchronous sequence of notifications, made by `notifications(named:object:)`.
  ///
  /// Observing begins when an iterator is made, which `for await` does first, and ends when the iterator is released or its Swift task is cancelled.
  /// Each iterator gets every notification. Notifications posted while the loop is busy are buffered: the newest 1024 of them.
  public final class Notifications: AsyncSequence, @unchecked Sendable {
    // @unchecked: immutable; `object` is only compared, by the center.
    /// A posted notification.
    public typealias Element = Notification
    /// The sequence never throws.
    public typealias Failure = Never

    /// The number of notifications that are buffered for one iterator. Apple documents no number; it bounds the memory of a loop that hangs.
    static let capacity = 1024

    private let center: NotificationCenter
    private let name: Notification.Name
    private let object: AnyObject?

    init(center: NotificationCenter, name: Notification.Name, object: AnyObject?) {
      self.center = center
      self.name = name
      self.object = object
    }

    /// Makes an iterator, which begins to observe at once.
    public func makeAsyncIterator() -> Iterator { Iterator(center, name, object) }

    /// Observes notifications and returns one after another.
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

/// A notification that is passed from the thread that posted it to the iterator's task.
private struct Posted: @unchecked Sendable {
  // @unchecked: as for a block that is run on a queue, the poster must see to it that the notification's contents can be used there.
  let notification: Notification
}
