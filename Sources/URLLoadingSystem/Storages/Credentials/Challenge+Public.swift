import Foundation
import LoadingEngine
import LoadingModel
import ProtocolRules

// Converts the engine's challenges to public objects, and the delegate's answers back.

extension ChallengeAnswer {
  init(_ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?) {
    switch disposition {
    case .useCredential: self = .use(credential.map { Credential($0) })
    case .performDefaultHandling: self = .performDefaultHandling
    case .cancelAuthenticationChallenge: self = .cancel
    case .rejectProtectionSpace: self = .reject
    }
  }
}

extension URLAuthenticationChallenge {
  convenience init(_ challenge: Challenge) {
    self.init(
      space: URLProtectionSpace.make(challenge), proposal: challenge.proposed.flatMap { URLCredential.make($0) },
      failures: challenge.previousFailureCount, response: challenge.failureResponse.map { URLResponse.make($0) },
      error: challenge.error.map { $0.urlError(failingURL: nil) })
  }
}

extension URLProtectionSpace {
  /// The protection space of `challenge`, with the certificates or issuers that the server sent.
  static func make(_ challenge: Challenge) -> URLProtectionSpace {
    let origin = challenge.space.origin
    switch challenge.evidence {
    case .serverCertificates(let certificates):
      let chain = certificates.map { SecCertificate(derRepresentation: $0) }
      return URLProtectionSpace(serverTrust: SecTrust(chain: chain, host: origin.host), port: origin.port)
    case .acceptableIssuers(let issuers):
      return URLProtectionSpace(clientCertificateFor: origin.host, port: origin.port, issuers: issuers)
    case .none: return make(challenge.space)
    }
  }

  static func make(_ space: ProtectionSpace) -> URLProtectionSpace {
    let (origin, method) = (space.origin, space.method.publicName)
    // RFC 9110, 11.5 asks Basic and Digest for a realm. Where a server leaves it out the host takes its place, as on Apple's platforms.
    let hasRealm = space.method == .basic || space.method == .digest
    let realm = space.realm ?? (hasRealm ? origin.host : nil)
    switch space.peer {
    case .server:
      return URLProtectionSpace(
        host: origin.host, port: origin.port, protocol: origin.publicProtocol,
        realm: realm, authenticationMethod: method)
    case .proxy:
      return URLProtectionSpace(
        proxyHost: origin.host, port: origin.port,
        type: origin.isSecure ? NSURLProtectionSpaceHTTPSProxy : NSURLProtectionSpaceHTTPProxy, realm: realm,
        authenticationMethod: method)
    }
  }
}

extension Origin {
  /// The `NSURLProtectionSpace…` constant for the scheme; `ftp` and `ftps` are used as they are.
  fileprivate var publicProtocol: String {
    switch scheme {
    // NSURLProtectionSpaceFTP is deprecated, its value isn't.
    case "ftp", "ftps": scheme
    default: isSecure ? NSURLProtectionSpaceHTTPS : NSURLProtectionSpaceHTTP
    }
  }
}

extension AuthenticationMethod {
  /// The `NSURLAuthenticationMethod…` constant for the method.
  var publicName: String {
    switch self {
    case .login: NSURLAuthenticationMethodDefault
    case .basic: NSURLAuthenticationMethodHTTPBasic
    case .digest: NSURLAuthenticationMethodHTTPDigest
    case .ntlm: NSURLAuthenticationMethodNTLM
    case .negotiate: NSURLAuthenticationMethodNegotiate
    case .clientCertificate: NSURLAuthenticationMethodClientCertificate
    case .serverTrust: NSURLAuthenticationMethodServerTrust
    }
  }
}
