/// A proxy's part in an error: the CFNetwork code for it, and the proxy's response.
///
/// A class, because it is rare: an error without one has only a null pointer.
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
    /// No connection could be made to an HTTP proxy.
    case httpUnreachable = 306
    case httpBadCredentials = 307
    case scriptFailed = 308
    /// No connection could be made to the proxy for an https URL.
    case secureUnreachable = 310
    /// The proxy's response to CONNECT opened no tunnel, or wasn't a valid response.
    case connectAnswer = 311
  }

  /// nil if CFNetwork has no code for the fault.
  package let code: Code?
  /// Whether the proxy itself couldn't be reached, so that another proxy may be tried.
  package let isUnreachable: Bool
  /// Whether the proxy's port refused the connection, or the proxy closed it: it may be restarting.
  package let isAway: Bool
  /// Whether the proxy accepted the connection but didn't respond in time: perhaps it waits for the origin.
  package let isSlow: Bool
  /// Whether the proxy's name couldn't be looked up.
  package let isUnknown: Bool
  /// The response to CONNECT, if it is the reason.
  package let answer: ResponseHead?
  /// The `RouteAttempt.showing` of the request for the tunnel that the response refuses: a tunnel may have been begun for another load.
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
