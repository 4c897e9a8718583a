import Foundation
import URLLoadingSystem

/// Answers all challenges of a run: the delegate of its session.
///
/// One object for all loads: a connection whose server a delegate has accepted against the evaluation serves the loads of that delegate alone.
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
