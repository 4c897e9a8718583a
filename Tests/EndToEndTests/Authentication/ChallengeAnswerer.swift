import Foundation
import LoadingModel
import URLLoadingSystem

/// A delegate that writes down the challenges it gets, except those about a server's certificate, and answers them as it was asked to.
final class ChallengeAnswerer: NSObject, URLSessionTaskDelegate {
  /// What a challenge said.
  struct Asked: Sendable, Equatable {
    let realm: String?
    let method: String
    let failures: Int
    let proposedUser: String?
    let status: Int?
  }

  typealias Answer = (URLSession.AuthChallengeDisposition, URLCredential?)

  private let state = Mutex<(asked: [Asked], sessionLevel: Int)>(([], 0))
  private let respond: @Sendable (URLAuthenticationChallenge) -> Answer?

  /// - Parameter respond: The answer; nil for none at all.
  init(_ respond: @escaping @Sendable (URLAuthenticationChallenge) -> Answer?) { self.respond = respond }

  /// Answers every challenge with this user and password.
  convenience init(_ user: String, _ password: String, _ persistence: URLCredential.Persistence = .forSession) {
    self.init { _ in (.useCredential, URLCredential(user: user, password: password, persistence: persistence)) }
  }

  var asked: [Asked] { state.withLock { $0.asked } }
  /// Challenges that came to the session-level method.
  var sessionLevelCount: Int { state.withLock { $0.sessionLevel } }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    note(challenge)
    if let answer = respond(challenge) { completionHandler(answer.0, answer.1) } else { held.withLock { $0.append(completionHandler) } }
  }

  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    // Certificates are tested elsewhere.
    guard challenge.protectionSpace.authenticationMethod != NSURLAuthenticationMethodServerTrust else {
      return completionHandler(.performDefaultHandling, nil)
    }
    state.withLock { $0.sessionLevel += 1 }
    note(challenge)
    let answer = respond(challenge) ?? (.performDefaultHandling, nil)
    completionHandler(answer.0, answer.1)
  }

  /// Handlers that weren't called: they are kept, for a handler that is dropped counts as an answer.
  private let held = Mutex<[@Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void]>([])
  /// Sent at each challenge.
  let wasAsked = Signal()

  private func note(_ challenge: URLAuthenticationChallenge) {
    let space = challenge.protectionSpace
    let asked = Asked(
      realm: space.realm, method: space.authenticationMethod, failures: challenge.previousFailureCount,
      proposedUser: challenge.proposedCredential?.user, status: (challenge.failureResponse as? HTTPURLResponse)?.statusCode)
    state.withLock { $0.asked.append(asked) }
    wasAsked.send()
  }
}

extension ChallengeAnswerer.Asked {
  static func basic(_ realm: String? = "r", failures: Int = 0, proposed: String? = nil) -> Self {
    Self(realm: realm, method: NSURLAuthenticationMethodHTTPBasic, failures: failures, proposedUser: proposed, status: 401)
  }

  static func digest(_ realm: String? = "r", failures: Int = 0, proposed: String? = nil) -> Self {
    Self(realm: realm, method: NSURLAuthenticationMethodHTTPDigest, failures: failures, proposedUser: proposed, status: 401)
  }
}
