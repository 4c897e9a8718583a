import BackgroundTransfers
import Foundation
import LoadingModel

// What the daemon asks the app, on the delegate queue.

extension BackgroundSession {
  func answer(_ number: Int64, _ question: ChallengeQuestion) {
    guard let (task, session) = present(question.task) else {
      return send(.answer(question: number, BackgroundCoding.reply(.performDefaultHandling, nil)))
    }
    let challenge = BackgroundCoding.challenge(question)
    let chain = task.chain
    session.pump.post { [self] in
      chain.didReceiveChallenge(session, task, challenge) { disposition, credential in
        guard disposition == .performDefaultHandling else {
          return self.send(.answer(question: number, BackgroundCoding.reply(disposition, credential)))
        }
        self.answerByDefault(number, question, task, session)
      }
    }
  }

  /// What the app's own storage has: the credentials of this process are out of the daemon's reach.
  private func answerByDefault(_ number: Int64, _ question: ChallengeQuestion, _ task: URLSessionTask, _ session: URLSession) {
    let storage = question.failures == 0 && question.certificates.isEmpty ? session.settings.urlCredentialStorage : nil
    let space = BackgroundCoding.challenge(question).protectionSpace
    Task {
      let known = await storage?.defaultCredential(for: space, task: task)
      let reply = known.map { BackgroundCoding.reply(.useCredential, $0) } ?? BackgroundCoding.reply(.performDefaultHandling, nil)
      send(.answer(question: number, reply))
    }
  }

  /// The time of a delayed task has come.
  func begin(_ number: Int64, _ identifier: Int) {
    guard let (task, session) = present(identifier), let request = task.originalRequest else {
      return send(.begin(question: number, .proceed))
    }
    let chain = task.chain
    session.pump.post { [self] in
      chain.willBeginDelayedRequest(session, task, request) { disposition, replacement in
        switch disposition {
        case .continueLoading: self.send(.begin(question: number, .proceed))
        case .useNewRequest:
          let encoded = replacement.flatMap { BackgroundCoding.data($0) }
          self.send(.begin(question: number, encoded.map { .replace(request: $0) } ?? .proceed))
        case .cancel:
          self.send(.begin(question: number, .cancel))
          task.cancel()
        }
      }
    }
  }

  private func present(_ identifier: Int) -> (URLSessionTask, URLSession)? {
    state.withLock { state in
      guard let task = state.tasks[identifier], let session = state.session else { return nil }
      return (task, session)
    }
  }
}
