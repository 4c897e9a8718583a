import Foundation
import URLLoadingSystem

/// Delegate of the run's session, which answers all challenges.
///
/// There is one object for all loads, because a connection whose server was accepted by a delegate against the evaluation (`-k`) serves only that
/// delegate's loads.
final class RunDelegate: NSObject, URLSessionTaskDelegate, Sendable {
  private let answers: ChallengeAnswers

  init(_ answers: ChallengeAnswers) {
    self.answers = answers
    super.init()
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let (disposition, credential) = answers.answer(challenge, of: task)
    completionHandler(disposition, credential)
  }
}
