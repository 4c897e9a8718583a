#if Combine
  import Foundation
  import OpenCombine

  extension NotificationCenter {
    /// A publisher of the notifications of one name that a center posts, on the threads on which they are posted.
    public struct Publisher: OpenCombine.Publisher {
      /// What is published.
      public typealias Output = Notification
      /// It never fails, and never ends.
      public typealias Failure = Never

      /// The center whose notifications are published.
      public let center: NotificationCenter
      /// The notifications' name.
      public let name: Notification.Name
      /// The object that posts the notifications; nil for any.
      public let object: AnyObject?

      /// A publisher of the notifications called `name` that `object`, or anything, posts at `center`.
      public init(center: NotificationCenter, name: Notification.Name, object: AnyObject? = nil) {
        (self.center, self.name, self.object) = (center, name, object)
      }

      /// Subscribes; what is posted without demand is dropped.
      public func receive<S: Subscriber>(subscriber: S) where S.Failure == Never, S.Input == Notification {
        let subscription = NotificationSubscription(downstream: subscriber)
        subscription.observe(self)
        subscriber.receive(subscription: subscription)
      }
    }

    /// A publisher of the notifications called `name` that `object` posts here; nil for any object.
    public func publisher(for name: Notification.Name, object: AnyObject? = nil) -> Publisher {
      Publisher(center: self, name: name, object: object)
    }
  }

  extension NotificationCenter.Publisher: Equatable {
    /// Whether both publish the same notifications of the same center.
    public static func == (one: Self, other: Self) -> Bool {
      one.center === other.center && one.name == other.name && one.object === other.object
    }
  }
#endif
