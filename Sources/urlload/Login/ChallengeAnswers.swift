import Foundation
import URLLoadingSystem

/// How the tool answers challenges. A value: decided by what the command line gave.
struct ChallengeAnswers: Sendable {
  typealias Answer = (URLSession.AuthChallengeDisposition, URLCredential?)

  var login: Login?
  /// Logins by host, where the command line names none.
  var netrc: NetrcFile?
  /// Sent as a token with every request to the URL's host.
  var bearer: String?
  var pinned: PinnedKeys?
  var identity: IdentityFile?
  /// `-k`.
  var acceptsAnyServer = false
  /// What a login in the URL may be used with.
  var scheme = LoginScheme.any

  /// The answer to `challenge` of `task`.
  func answer(_ challenge: URLAuthenticationChallenge, of task: URLSessionTask) -> Answer {
    answer(challenge, for: task.originalRequest?.url, sent: task.currentRequest?.value(forHTTPHeaderField: "Authorization"))
  }

  /// The answer to `challenge` during a load of `url`, the URL that was asked for.
  /// - Parameter sent: `Authorization` of the request that the server answers so, as far as the request had it unasked.
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
    // A redirect elsewhere gets no login.
    guard !space.isProxy(), let login = login(at: space, url) else { return (.performDefaultHandling, nil) }
    // Once refused, it is no better the second time, and one in the URL that it was given in place of isn't sent either.
    let isRefused = challenge.previousFailureCount > 0 || (sent != nil && sent == login.unaskedField)
    guard !isRefused else { return (.useCredential, nil) }
    guard login.scheme.allows(space.authenticationMethod) else { return (.rejectProtectionSpace, nil) }
    return (.useCredential, login.credential)
  }

  /// The login for a URL that is asked for.
  func login(for url: URL) -> Login? { login ?? netrc?.login(for: url) ?? ownLogin(of: url) }

  /// The login in the URL, where the tool has to watch what it is used with. With any scheme, the library uses it by itself.
  private func ownLogin(of url: URL) -> Login? {
    guard scheme != .any, let user = url.user(percentEncoded: false), !user.isEmpty else { return nil }
    return Login(user: user, password: url.password(percentEncoded: false) ?? "", scheme: scheme)
  }

  /// `Authorization`, where it is sent unasked with requests for `url`.
  func unaskedField(for url: URL?) -> String? { bearer.map { "Bearer \($0)" } ?? url.flatMap { login(for: $0) }?.unaskedField }

  private func login(at space: URLProtectionSpace, _ url: URL?) -> Login? {
    // What a URL says of the user holds for its own server. The file has logins for those that redirects lead to as well.
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
