import BackgroundTransfers
import Foundation
import LoadingModel

/// A question of the daemon's about a task, which the app answers on the delegate queue if its delegate may answer it.
///
/// `BackgroundSession`'s, for the time of one question.
struct DaemonQuestion: Sendable {
  let number: Int64
  let task: URLSessionTask
  let session: URLSession
  /// Sends the answer; from any thread.
  let reply: @Sendable (AppMessage) -> Void

  func ask(_ question: ChallengeQuestion) {
    let challenge = BackgroundCoding.challenge(question)
    let chain = task.chain
    // The delegate queue may be busy, or suspended: it is none of a delegate's business that takes no challenges.
    guard chain.mayAnswer(challenge) else { return answerByDefault(challenge) }
    session.pump.post { [self] in
      chain.didReceiveChallenge(session, task, challenge) { disposition, credential in
        guard disposition == .performDefaultHandling else {
          return reply(.answer(question: number, BackgroundCoding.reply(disposition, credential)))
        }
        answerByDefault(challenge)
      }
    }
  }

  /// What the app's own storage has: the credentials of this process are out of the daemon's reach.
  private func answerByDefault(_ challenge: URLAuthenticationChallenge) {
    let space = challenge.protectionSpace
    let isFirst = challenge.previousFailureCount == 0 && space.serverTrust == nil
    let storage = isFirst ? session.settings.urlCredentialStorage : nil
    Task {
      let known = await storage?.defaultCredential(for: space, task: task)
      let answer = known.map { BackgroundCoding.reply(.useCredential, $0) } ?? BackgroundCoding.reply(.performDefaultHandling, nil)
      reply(.answer(question: number, answer))
    }
  }

  /// The time of a delayed task has come.
  func askToBegin() {
    guard let request = task.originalRequest else { return reply(.begin(question: number, .proceed)) }
    let chain = task.chain
    session.pump.post { [self] in
      chain.willBeginDelayedRequest(session, task, request) { disposition, replacement in
        switch disposition {
        case .continueLoading: reply(.begin(question: number, .proceed))
        case .useNewRequest:
          var replacement = replacement
          replacement?.addCookies(of: session.settings)
          // As in the task's order: the file is the body.
          if task is URLSessionUploadTask { replacement?.httpBody = nil }
          let encoded = replacement.flatMap { BackgroundCoding.data($0) }
          reply(.begin(question: number, encoded.map { .replace(request: $0) } ?? .proceed))
        case .cancel:
          reply(.begin(question: number, .cancel))
          task.cancel()
        }
      }
    }
  }
}
