import Foundation
import LoadingModel
import URLLoadingSystem

/// A delegate that answers questions of TLS as it was asked to, at once or when told.
final class ChallengeDelegate: NSObject, URLSessionTaskDelegate {
  typealias Answer = (URLSession.AuthChallengeDisposition, URLCredential?)
  typealias Completion = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

  private let respond: @Sendable (URLProtectionSpace) -> Answer?
  private let state = Mutex<(asked: [URLProtectionSpace], failures: [Int], held: [Completion])>(([], [], []))
  /// Sent at each question.
  let wasAsked = Signal()

  /// - Parameter respond: The answer; nil to leave the question open until `release`.
  init(_ respond: @escaping @Sendable (URLProtectionSpace) -> Answer?) { self.respond = respond }

  /// Answers every question with this disposition and no credential.
  convenience init(_ disposition: URLSession.AuthChallengeDisposition) { self.init { _ in (disposition, nil) } }

  /// Accepts every server.
  static var accepting: ChallengeDelegate {
    ChallengeDelegate { space in space.serverTrust.map { (.useCredential, URLCredential(trust: $0)) } ?? (.performDefaultHandling, nil) }
  }

  /// Leaves servers to the evaluation and presents `identity` where a client certificate is asked for.
  static func presenting(_ identity: SecIdentity?, _ persistence: URLCredential.Persistence = .forSession) -> ChallengeDelegate {
    ChallengeDelegate { space in
      guard space.authenticationMethod == NSURLAuthenticationMethodClientCertificate, let identity else {
        return (.performDefaultHandling, nil)
      }
      return (.useCredential, URLCredential(identity: identity, certificates: nil, persistence: persistence))
    }
  }

  var asked: [URLProtectionSpace] { state.withLock { $0.asked } }
  var failures: [Int] { state.withLock { $0.failures } }
  var trusts: [SecTrust] { asked.compactMap(\.serverTrust) }

  /// Answers the question that has been open longest.
  func release(_ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential? = nil) {
    let completion = state.withLock { $0.held.isEmpty ? nil : $0.held.removeFirst() }
    completion?(disposition, credential)
  }

  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge, completionHandler: @escaping Completion
  ) {
    let answer = respond(challenge.protectionSpace)
    state.withLock { state in
      state.asked.append(challenge.protectionSpace)
      state.failures.append(challenge.previousFailureCount)
      if answer == nil { state.held.append(completionHandler) }
    }
    wasAsked.send()
    if let answer { completionHandler(answer.0, answer.1) }
  }
}
