import Foundation
import LoadingModel
import ProtocolRules

/// What about a request decides which cookies go with it, and which its response may set.
package struct CookieRequest: Sendable {
  package var url: CookieURL
  package var method: String
  /// The document the request is made for; nil if it belongs to none.
  package var mainDocument: URL?
  /// Whether the load began at its main document and has been redirected since.
  package var isNavigation: Bool
  package var partition: String?
  /// Cookies that the request brings.
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
