import Foundation
import URLLoadingSystem

/// Returns when the cookies of `storage` have changed, with their names then.
public func nextChange(of storage: HTTPCookieStorage, after change: () -> Void) async -> [String] {
  var changes = NotificationCenter.default.notifications(named: .NSHTTPCookieManagerCookiesChanged, object: storage).makeAsyncIterator()
  change()
  _ = await changes.next()
  return (storage.cookies ?? []).map(\.name)
}
