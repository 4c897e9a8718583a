import LoadingModel

/// How a request relates to the site of its main document (RFC 6265bis, 5.2), and which SameSite cookies it may therefore send and set.
package enum SameSiteContext: Sendable {
  /// The request is for the site of its main document, or has no main document.
  case firstParty
  /// The request for the main document itself has been redirected to another site, with a safe method: a top-level navigation.
  case navigation
  /// The request is for another site than that of its main document, such as for an embedded image.
  case thirdParty

  /// - Parameters:
  ///   - mainDocumentHost: Host of the request's `mainDocumentURL`, lower case; nil if it isn't set: then everything is first party.
  ///   - isNavigation: Whether the load began as a request for the main document itself and has since been redirected.
  package init(host: String, mainDocumentHost: String?, method: String, isNavigation: Bool, suffixes: some PublicSuffixes) {
    guard let mainDocumentHost, !suffixes.isSameSite(host, mainDocumentHost) else {
      self = .firstParty
      return
    }
    self = isNavigation && SameSiteContext.isSafe(method) ? .navigation : .thirdParty
  }

  /// Whether a cookie with this SameSite value is attached (RFC 6265bis, 5.8.3, step 1).
  package func mayBeSent(_ sameSite: String?) -> Bool {
    guard let sameSite else { return true }
    switch self {
    case .firstParty: return true
    case .navigation: return sameSite != "strict"
    case .thirdParty: return sameSite != "strict" && sameSite != "lax"
    }
  }

  /// Whether a cookie with this SameSite value may be set (RFC 6265bis, 5.7, step 18); the response to a navigation may set any.
  package func maySet(_ sameSite: String?) -> Bool {
    if case .thirdParty = self { return sameSite != "strict" && sameSite != "lax" }
    return true
  }

  /// Whether the method is a safe one (RFC 9110, 9.2.1).
  private static func isSafe(_ method: String) -> Bool {
    switch method {
    case "GET", "HEAD", "OPTIONS", "TRACE": true
    default: false
    }
  }
}
