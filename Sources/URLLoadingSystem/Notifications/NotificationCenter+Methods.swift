import Foundation

extension NotificationCenter {
  /// Observes notifications with a method of `target`, as `addObserver(_:selector:name:object:)` does on platforms with selectors.
  ///
  ///     let observer = center.addObserver(self, method: Model.cookiesChanged, name: .NSHTTPCookieManagerCookiesChanged, object: storage)
  ///
  /// An addition. The method runs on the thread that posts the notification.
  /// - Parameters:
  ///   - target: The object whose method is called. It isn't retained: after its release the method isn't called any more.
  ///   - method: The method, called with each notification.
  ///   - name: The name of the notifications; nil for all names.
  ///   - object: The sender of the notifications; nil for all senders.
  /// - Returns: An observer for `removeObserver(_:)`. It need not be kept.
  @discardableResult
  public func addObserver<Target: AnyObject & Sendable>(
    _ target: Target, method: @escaping @Sendable (Target) -> (Notification) -> Void, name: Notification.Name?, object: Any? = nil
  ) -> any NSObjectProtocol {
    let registration = NotificationRegistration()
    let observer = addObserver(forName: name, object: object, queue: nil) { [weak target] notification in
      guard let target else { return registration.end() }
      method(target)(notification)
    }
    registration.begin(observer, self)
    return observer
  }
}
