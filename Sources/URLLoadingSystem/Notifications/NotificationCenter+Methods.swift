import Foundation

extension NotificationCenter {
  /// Observes with a method of `target`: what `addObserver(_:selector:name:object:)` is where there are selectors.
  ///
  ///     let observer = center.addObserver(self, method: Model.cookiesChanged, name: .NSHTTPCookieManagerCookiesChanged, object: storage)
  ///
  /// An addition. The method runs on the thread that posts.
  /// - Parameters:
  ///   - target: Not kept: once it is released nothing is called any more.
  ///   - method: Called with each notification.
  ///   - name: Which notifications; nil: all.
  ///   - object: Those of this object alone; nil: of all.
  /// - Returns: What `removeObserver(_:)` takes. It need not be kept.
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
