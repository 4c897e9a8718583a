import LoadingModel

/// Whose request it is that cookies are sent with or set by (RFC 6265bis, 5.2), and what their SameSite allows it.
package enum SameSiteContext: Sendable {
  /// The request is for the site of its main document, or has no main document.
  case firstParty
  /// Another site's document led here by a safe request for a document: a followed redirect.
  case navigation
  /// Another site's document asks for a part of itself.
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

  /// Whether a cookie with this SameSite is attached (5.8.3, step 1).
  package func mayBeSent(_ sameSite: String?) -> Bool {
    guard let sameSite else { return true }
    switch self {
    case .firstParty: return true
    case .navigation: return sameSite != "strict"
    case .thirdParty: return sameSite != "strict" && sameSite != "lax"
    }
  }

  /// Whether a cookie with this SameSite may be set (5.7, step 18): the answer to a navigation may.
  package func maySet(_ sameSite: String?) -> Bool {
    if case .thirdParty = self { return sameSite != "strict" && sameSite != "lax" }
    return true
  }

  /// RFC 9110, 9.2.1.
  private static func isSafe(_ method: String) -> Bool {
    switch method {
    case "GET", "HEAD", "OPTIONS", "TRACE": true
    default: false
    }
  }
}
