import BackgroundTransfers
import Foundation
import LoadingModel

// What the daemon asks the app, on the delegate queue.

extension BackgroundSession {
  func answer(_ number: Int64, _ question: ChallengeQuestion, on link: MessageLink) {
    guard let (task, session) = task(question.task) else {
      return reply(.answer(question: number, BackgroundCoding.reply(.performDefaultHandling, nil)), on: link)
    }
    let challenge = BackgroundCoding.challenge(question)
    let chain = task.chain
    session.pump.post { [self] in
      chain.didReceiveChallenge(session, task, challenge) { disposition, credential in
        guard disposition == .performDefaultHandling else {
          return self.reply(.answer(question: number, BackgroundCoding.reply(disposition, credential)), on: link)
        }
        self.answerByDefault(number, challenge, task, session, link)
      }
    }
  }

  /// What the app's own storage has: the credentials of this process are out of the daemon's reach.
  private func answerByDefault(
    _ number: Int64, _ challenge: URLAuthenticationChallenge, _ task: URLSessionTask, _ session: URLSession, _ link: MessageLink
  ) {
    let space = challenge.protectionSpace
    let isFirst = challenge.previousFailureCount == 0 && space.serverTrust == nil
    let storage = isFirst ? session.settings.urlCredentialStorage : nil
    Task {
      let known = await storage?.defaultCredential(for: space, task: task)
      let answer = known.map { BackgroundCoding.reply(.useCredential, $0) } ?? BackgroundCoding.reply(.performDefaultHandling, nil)
      self.reply(.answer(question: number, answer), on: link)
    }
  }

  /// The time of a delayed task has come.
  func begin(_ number: Int64, _ identifier: Int, on link: MessageLink) {
    guard let (task, session) = task(identifier), let request = task.originalRequest else {
      return reply(.begin(question: number, .proceed), on: link)
    }
    let chain = task.chain
    session.pump.post { [self] in
      chain.willBeginDelayedRequest(session, task, request) { disposition, replacement in
        switch disposition {
        case .continueLoading: self.reply(.begin(question: number, .proceed), on: link)
        case .useNewRequest:
          let encoded = replacement.flatMap { BackgroundCoding.data($0) }
          self.reply(.begin(question: number, encoded.map { .replace(request: $0) } ?? .proceed), on: link)
        case .cancel:
          self.reply(.begin(question: number, .cancel), on: link)
          task.cancel()
        }
      }
    }
  }

  /// Only to the daemon that has asked: one that was started since counts its questions anew.
  private func reply(_ message: AppMessage, on link: MessageLink) {
    state.withLock { state in
      if state.link === link { link.send(message) }
    }
  }
}
