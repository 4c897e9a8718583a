/// That a proxy is the reason of an error: what the system's network layer would call it, and what the proxy said.
///
/// A class, because it is rare: an error without one carries a null pointer.
package final class ProxyFault: Sendable {
  /// The codes of CFNetworkErrors.
  package enum Code: Int, Sendable {
    case socks4Rejected = 110
    case socks4NoIdentd = 111
    case socks4OtherUser = 112
    case socks4UnknownStatus = 113
    case socks5BadState = 120
    case socks5BadAddress = 121
    case socks5BadCredentials = 122
    case socks5NoMethod = 124
    /// No connection to an HTTP proxy.
    case httpUnreachable = 306
    case httpBadCredentials = 307
    case scriptFailed = 308
    /// No connection to the proxy for a secure URL.
    case secureUnreachable = 310
    /// The answer to CONNECT isn't one.
    case connectAnswer = 311
  }

  /// nil where the system has no code of its own.
  package let code: Code?
  /// Whether the proxy itself couldn't be reached: another one may be.
  package let isUnreachable: Bool
  /// Whether its port refused the connection, or it has closed it: it may be back in a moment.
  package let isAway: Bool
  /// Whether it has accepted the connection and not done what it was asked: it may be the origin that it waits for.
  package let isSlow: Bool
  /// Whether its name couldn't be looked up.
  package let isUnknown: Bool
  /// The answer to CONNECT, where that is the reason.
  package let answer: ResponseHead?
  /// What the tunnel was asked for with that the answer refuses: `RouteAttempt.showing`. A tunnel may have been begun for another load.
  package let shown: Int

  package init(
    _ code: Code?, isUnreachable: Bool = false, isAway: Bool = false, isUnknown: Bool = false, isSlow: Bool = false,
    answer: ResponseHead? = nil, shown: Int = 0
  ) {
    self.code = code
    self.isUnreachable = isUnreachable
    self.isAway = isAway
    self.isUnknown = isUnknown
    self.isSlow = isSlow
    self.answer = answer
    self.shown = shown
  }
}
