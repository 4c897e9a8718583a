import Foundation

extension URLSessionConfiguration {
  /// Hosts that are reached by TLS alone even before they have asked for it. Default: nil, none. An addition to Apple's API.
  ///
  /// They are treated as HSTS hosts: a URL with `http` becomes one with `https` before anything is sent. A `Strict-Transport-Security` field of the
  /// host doesn't remove it from the list. A background session's daemon reads the list's file again.
  public var secureHosts: URLSessionSecureHosts? {
    get { values.withLock { $0.secureHosts } }
    set { values.change { $0.secureHosts = newValue } }
  }
}
