import BackgroundTransfers
import Foundation
import HTTPTransport

extension BackgroundCoding {
  /// Encodes a challenge of the daemon's load, to be sent to the app.
  package static func question(_ challenge: URLAuthenticationChallenge, task: Int) -> ChallengeQuestion {
    let space = challenge.protectionSpace
    var question = ChallengeQuestion(task: task, host: space.host, port: space.port, method: space.authenticationMethod)
    question.protocolName = space.protocol
    question.proxyType = space.isProxy() ? space.proxyType ?? "" : nil
    question.realm = space.realm
    question.issuers = space.distinguishedNames ?? []
    question.certificates = space.serverTrust?.chain.map(\.derRepresentation) ?? []
    question.failures = challenge.previousFailureCount
    question.proposal = challenge.proposedCredential.flatMap(value)
    question.response = challenge.failureResponse.flatMap { data($0) }
    return question
  }

  /// Makes the challenge that the app's delegate gets from the daemon's question.
  ///
  /// - Parameter store: The trust anchors and revocation lists of the app's session, by which its delegate evaluates a server; nil for the system's.
  package static func challenge(_ question: ChallengeQuestion, store: TrustStore?) -> URLAuthenticationChallenge {
    let space = space(question, store)
    return URLAuthenticationChallenge(
      space: space, proposal: question.proposal.flatMap { credential($0, trust: nil) }, failures: question.failures,
      response: question.response.flatMap { response($0) })
  }

  private static func space(_ question: ChallengeQuestion, _ store: TrustStore?) -> URLProtectionSpace {
    switch question.method {
    case NSURLAuthenticationMethodServerTrust:
      let chain = question.certificates.map { SecCertificate(derRepresentation: $0) }
      let requirement = TrustRequirement(usage: .server, host: question.host)
      return URLProtectionSpace(serverTrust: SecTrust(chain: chain, requirements: [requirement], store: store), port: question.port)
    case NSURLAuthenticationMethodClientCertificate:
      return URLProtectionSpace(clientCertificateFor: question.host, port: question.port, issuers: question.issuers)
    default: break
    }
    if let type = question.proxyType {
      return URLProtectionSpace(
        proxyHost: question.host, port: question.port, type: type.isEmpty ? nil : type, realm: question.realm,
        authenticationMethod: question.method)
    }
    return URLProtectionSpace(
      host: question.host, port: question.port, protocol: question.protocolName, realm: question.realm,
      authenticationMethod: question.method)
  }

  /// Encodes the delegate's answer to `challenge`, to be sent to the daemon. A trust in another server's certificates, which the message couldn't tell
  /// from that of the challenge, is default handling, as in other sessions.
  package static func reply(
    _ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?, to challenge: URLAuthenticationChallenge? = nil
  ) -> ChallengeReply {
    if disposition == .useCredential, let credential, case .trust = credential.proof,
      let presented = challenge?.protectionSpace.serverTrust, !credential.vouches(for: presented)
    {
      return reply(.performDefaultHandling, nil)
    }
    return ChallengeReply(disposition: disposition.rawValue, credential: credential.flatMap(value))
  }

  /// Decodes the delegate's answer to `challenge`, the daemon's own; an answer that trusts the server applies to that challenge's certificates.
  package static func answer(
    _ reply: ChallengeReply, to challenge: URLAuthenticationChallenge
  ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    guard let disposition = URLSession.AuthChallengeDisposition(rawValue: reply.disposition) else {
      return (.performDefaultHandling, nil)
    }
    return (disposition, reply.credential.flatMap { credential($0, trust: challenge.protectionSpace.serverTrust) })
  }

  private static func value(_ credential: URLCredential) -> CredentialValue? {
    if let user = credential.user {
      return .password(user: user, password: credential.password ?? "", persistence: credential.persistence.rawValue)
    }
    if let identity = credential.identity {
      let given = credential.certificates.compactMap { $0 as? SecCertificate }
      let chain = [identity.certificate] + (given.isEmpty ? identity.intermediates : given).filter { $0 != identity.certificate }
      return .identity(
        certificates: chain.map(\.derRepresentation), key: identity.privateKeyDER, persistence: credential.persistence.rawValue)
    }
    if case .trust = credential.proof { return .trust }
    return nil
  }

  private static func credential(_ value: CredentialValue, trust: SecTrust?) -> URLCredential? {
    switch value {
    case .password(let user, let password, let persistence):
      return URLCredential(user: user, password: password, persistence: .init(rawValue: persistence) ?? .none)
    case .identity(let certificates, let key, let persistence):
      guard let first = certificates.first else { return nil }
      let others = certificates.dropFirst().map { SecCertificate(derRepresentation: $0) }
      let identity = SecIdentity(certificate: SecCertificate(derRepresentation: first), privateKeyDER: key, intermediates: others)
      return URLCredential(identity: identity, certificates: others, persistence: .init(rawValue: persistence) ?? .none)
    case .trust: return trust.map { URLCredential(trust: $0) }
    }
  }
}
