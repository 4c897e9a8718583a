import BackgroundTransfers
import Foundation
import LoadingModel

/// A question of the daemon about a task (a challenge, or a delayed start), put to the app's delegate on the delegate queue.
///
/// Made by `BackgroundSession` for one question.
struct DaemonQuestion: Sendable {
  let number: Int64
  let task: URLSessionTask
  let session: URLSession
  /// Sends the answer to the daemon; may be called on any thread.
  let reply: @Sendable (AppMessage) -> Void

  func ask(_ question: ChallengeQuestion) {
    let isAboutServer = question.method == NSURLAuthenticationMethodServerTrust
    // The delegate evaluates a server by the session's anchors and revocation lists, which are in memory once they have been read.
    let store = isAboutServer ? (try? session.engine.settings.tls.trustStore()) : nil
    let challenge = BackgroundCoding.challenge(question, store: store)
    let chain = task.chain
    // If no delegate takes the challenge, the default is used at once: the delegate queue may be busy or suspended.
    guard chain.mayAnswer(challenge) else { return answerByDefault(challenge) }
    session.pump.post { [self] in
      chain.didReceiveChallenge(session, task, challenge) { disposition, credential in
        guard disposition == .performDefaultHandling else {
          return reply(.answer(question: number, BackgroundCoding.reply(disposition, credential, to: challenge)))
        }
        answerByDefault(challenge)
      }
    }
  }

  /// Answers with a credential of the app's storage, if there is one: the daemon can't read credentials in this process's memory.
  private func answerByDefault(_ challenge: URLAuthenticationChallenge) {
    let space = challenge.protectionSpace
    let isFirst = challenge.previousFailureCount == 0 && space.serverTrust == nil
    let storage = isFirst && !namesUser(challenge) ? session.settings.urlCredentialStorage : nil
    Task {
      let known = await storage?.defaultCredential(for: space, task: task)
      let answer = known.map { BackgroundCoding.reply(.useCredential, $0) } ?? BackgroundCoding.reply(.performDefaultHandling, nil)
      reply(.answer(question: number, answer))
    }
  }

  /// Whether the URL names a user: as in other sessions, its password takes precedence over the storage, and no other user's credential is sent.
  private func namesUser(_ challenge: URLAuthenticationChallenge) -> Bool {
    guard !challenge.protectionSpace.isProxy() else { return false }
    let url = challenge.failureResponse?.url ?? task.originalRequest?.url
    return url?.user(percentEncoded: true).map { !$0.isEmpty } ?? false
  }

  /// Asks the delegate whether to begin a delayed task, whose `earliestBeginDate` has come.
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
          // As in `TransferOrder`: an upload's body is its file.
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
