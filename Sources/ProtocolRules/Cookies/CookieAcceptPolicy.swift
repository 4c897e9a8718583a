/// Which cookies are accepted: `HTTPCookie.AcceptPolicy` as the engine has it.
package enum CookieAcceptPolicy: Sendable {
  case always
  case never
  case onlyFromMainDocumentDomain
}
