import Foundation
import LoadingModel
import ProtocolRules

/// The properties of a request that decide which cookies are sent with it, and which its response may set.
package struct CookieRequest: Sendable {
  package var url: CookieURL
  package var method: String
  /// `URLRequest.mainDocumentURL`, the document that the request is made for; nil if there is none.
  package var mainDocument: URL?
  /// Whether the load began with its main document's own URL, and has been redirected since: a navigation (RFC 6265bis, 5.2).
  package var isNavigation: Bool
  package var partition: String?
  /// Cookies that are attached to the request itself, besides those of the store.
  package var attached: [AttachedCookie]

  package init(
    url: CookieURL, method: String = "GET", mainDocument: URL? = nil, isNavigation: Bool = false, partition: String? = nil,
    attached: [AttachedCookie] = []
  ) {
    self.url = url
    self.method = method
    self.mainDocument = mainDocument
    self.isNavigation = isNavigation
    self.partition = partition
    self.attached = attached
  }

  package func party(_ suffixes: some PublicSuffixes) -> SameSiteContext {
    SameSiteContext(
      host: url.host, mainDocumentHost: CookieURL(mainDocument)?.host, method: method, isNavigation: isNavigation, suffixes: suffixes)
  }
}
