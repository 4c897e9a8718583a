import Foundation
import URLLoadingSystem

/// The tool's answers to authentication challenges, as the command line determines them. A value.
struct ChallengeAnswers: Sendable {
  typealias Answer = (URLSession.AuthChallengeDisposition, URLCredential?)

  var login: Login?
  /// The logins that a session has kept, by server; empty if the command line has one.
  var kept = ServerTable<KeptLogin>()
  /// The logins of a netrc file, used if the command line has none; nil without such a file.
  var netrc: NetrcFile?
  /// The token of `--oauth2-bearer`, sent with every request to the URL's host.
  var bearer: String?
  var pinned: PinnedKeys?
  var identity: IdentityFile?
  /// Whether any server certificate is accepted (`-k`).
  var acceptsAnyServer = false
  /// The scheme that a login in the URL may be used with.
  var scheme = LoginScheme.any

  /// The answer to `challenge` of `task`.
  func answer(_ challenge: URLAuthenticationChallenge, of task: URLSessionTask) -> Answer {
    answer(challenge, for: task.originalRequest?.url, sent: task.currentRequest?.value(forHTTPHeaderField: "Authorization"))
  }

  /// The answer to `challenge` during a load of `url`, the URL that was asked for.
  /// - Parameter sent: The `Authorization` field that the refused request had from the beginning; nil if it had none.
  func answer(_ challenge: URLAuthenticationChallenge, for url: URL?, sent: String? = nil) -> Answer {
    let space = challenge.protectionSpace
    switch space.authenticationMethod {
    case NSURLAuthenticationMethodServerTrust:
      if let pinned, let trust = space.serverTrust, !pinned.contain(trust) { return (.cancelAuthenticationChallenge, nil) }
      guard acceptsAnyServer, let trust = space.serverTrust else { return (.performDefaultHandling, nil) }
      return (.useCredential, URLCredential(trust: trust))
    case NSURLAuthenticationMethodClientCertificate:
      guard let identity, challenge.previousFailureCount == 0 else { return (.performDefaultHandling, nil) }
      return (.useCredential, identity.credential)
    default: return answer(login: challenge, for: url, sent: sent)
    }
  }

  private func answer(login challenge: URLAuthenticationChallenge, for url: URL?, sent: String?) -> Answer {
    let space = challenge.protectionSpace
    // A server that a redirect leads to gets no login.
    guard !space.isProxy(), let login = login(at: space, url) else { return (.performDefaultHandling, nil) }
    // A refused login isn't sent a second time, and neither is one in the URL, which `-u` takes precedence over.
    let isRefused = challenge.previousFailureCount > 0 || (sent != nil && sent == login.unaskedField)
    guard !isRefused else { return (.useCredential, nil) }
    guard login.scheme.allows(space.authenticationMethod) else { return (.rejectProtectionSpace, nil) }
    return (.useCredential, login.credential)
  }

  /// The login for a URL that the user asks for: of `-u`, of the session, of the netrc file, or of the URL.
  func login(for url: URL) -> Login? { login ?? kept[url]?.login ?? netrc?.login(for: url) ?? ownLogin(of: url) }

  /// The login in the URL, if it may be used with one scheme only. If any scheme may be used, the library uses the URL's login by itself.
  private func ownLogin(of url: URL) -> Login? {
    guard scheme != .any, let user = url.user(percentEncoded: false), !user.isEmpty else { return nil }
    return Login(user: user, password: url.password(percentEncoded: false) ?? "", scheme: scheme)
  }

  /// The `Authorization` field that is sent with requests for `url` without a challenge; nil for none.
  func unaskedField(for url: URL?) -> String? {
    (bearer ?? kept[url]?.bearer).map { "Bearer \($0)" } ?? url.flatMap { login(for: $0) }?.unaskedField
  }

  private func login(at space: URLProtectionSpace, _ url: URL?) -> Login? {
    // The login of a URL is for that URL's server. A netrc file also has logins for servers that redirects lead to.
    if let url, ChallengeAnswers.isAt(space, url) { return login(for: url) }
    return login == nil ? netrc?.login(for: space.host) : nil
  }

  private static func isAt(_ space: URLProtectionSpace, _ url: URL) -> Bool {
    guard let host = url.host(), let scheme = url.scheme?.lowercased() else { return false }
    let isSecure = scheme == "https" || scheme == "wss"
    let port = url.port ?? (isSecure ? 443 : 80)
    let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    // A login for http may be sent to the same server over TLS: HSTS upgrades loads.
    return space.host.lowercased() == bare.lowercased() && (space.port == port || (port == 80 && space.port == 443))
      && (scheme == "http" || scheme == "ws" || space.protocol == NSURLProtectionSpaceHTTPS)
  }
}
