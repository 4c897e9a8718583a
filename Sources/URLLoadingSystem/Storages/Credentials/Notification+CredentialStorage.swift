import Foundation

extension NSNotification.Name {
  /// A `URLCredentialStorage`, the notification's object, has changed. Posted on the main queue.
  public static let NSURLCredentialStorageChanged = NSNotification.Name("NSURLCredentialStorageChangedNotification")
}
