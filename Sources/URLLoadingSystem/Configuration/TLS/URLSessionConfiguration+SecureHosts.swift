import Foundation

extension URLSessionConfiguration {
  /// Hosts that are reached by TLS alone though they haven't asked for it yet. Default: nil, none. An addition to Apple's API.
  ///
  /// They are treated as hosts that have (HSTS): a URL with `http` becomes one with `https` before anything is sent, and what the host says
  /// about it later doesn't take it off the list. A background session's daemon reads the list's file again.
  public var secureHosts: URLSessionSecureHosts? {
    get { values.withLock { $0.secureHosts } }
    set { values.withLock { $0.secureHosts = newValue } }
  }
}
