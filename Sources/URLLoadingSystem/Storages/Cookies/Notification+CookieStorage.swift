import Foundation

extension NSNotification.Name {
  /// The accept policy of an `HTTPCookieStorage`, the notification's object, has changed.
  public static let NSHTTPCookieManagerAcceptPolicyChanged = NSNotification.Name("NSHTTPCookieManagerAcceptPolicyChangedNotification")

  /// The cookies of an `HTTPCookieStorage`, the notification's object, have changed.
  public static let NSHTTPCookieManagerCookiesChanged = NSNotification.Name("NSHTTPCookieManagerCookiesChangedNotification")
}
