/// Which cookies are taken: `HTTPCookie.AcceptPolicy` for the engine.
package enum CookieAcceptPolicy: Sendable {
  case always
  case never
  case onlyFromMainDocumentDomain
}
