/// Which cookies are taken: `HTTPCookie.AcceptPolicy` for the engine.
package enum CookieAcceptance: Sendable {
  case always
  case never
  case onlyFromMainDocumentDomain
}
