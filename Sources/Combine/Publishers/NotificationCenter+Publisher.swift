#if Combine
  import Foundation
  import OpenCombine

  extension NotificationCenter {
    /// A publisher of a notification center's notifications with one name. They are published on the threads on which they are posted.
    public struct Publisher: OpenCombine.Publisher {
      /// The published values: notifications.
      public typealias Output = Notification
      /// The publisher never fails, and never finishes.
      public typealias Failure = Never

      /// The center whose notifications are published.
      public let center: NotificationCenter
      /// The name of the notifications.
      public let name: Notification.Name
      /// The object whose notifications are published; nil for those of any object.
      public let object: AnyObject?

      /// A publisher of the notifications with the name `name` that are posted at `center` by `object`; by any object if that is nil.
      public init(center: NotificationCenter, name: Notification.Name, object: AnyObject? = nil) {
        (self.center, self.name, self.object) = (center, name, object)
      }

      /// Subscribes. A notification that is posted while there is no demand is dropped.
      public func receive<S: Subscriber>(subscriber: S) where S.Failure == Never, S.Input == Notification {
        let subscription = NotificationSubscription(downstream: subscriber)
        subscription.observe(self)
        subscriber.receive(subscription: subscription)
      }
    }

    /// A publisher of this center's notifications with the name `name` that `object` posts; of any object if that is nil.
    public func publisher(for name: Notification.Name, object: AnyObject? = nil) -> Publisher {
      Publisher(center: self, name: name, object: object)
    }
  }

  extension NotificationCenter.Publisher: Equatable {
    /// Whether both publish the notifications of the same center, name and object.
    public static func == (one: Self, other: Self) -> Bool {
      one.center === other.center && one.name == other.name && one.object === other.object
    }
  }
#endif
