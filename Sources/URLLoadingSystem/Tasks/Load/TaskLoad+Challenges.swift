import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel
import ProtocolRules

// Challenges: the engine's questions become the public objects, which the pump brings to the delegates, and the answers come back.

extension TaskLoad: ChallengeAnswering {
  var mayAnswerChallenges: Bool { chain.mayAnswerChallenges }

  nonisolated(nonsending) func answer(_ challenge: Challenge) async throws(LoadError) -> ChallengeAnswer {
    guard mayAnswerChallenges else { return .performDefaultHandling }
    context.observer?.challenged(challenge.space.method.publicName)
    let asked = URLAuthenticationChallenge(challenge)
    return try await AppWait<ChallengeAnswer>.ask(context) { wait in
      ask(asked) { disposition, credential in wait.answer(ChallengeAnswer(disposition, credential)) }
    }
  }

  /// Asks the delegates; from any thread. The answer comes on any thread, and is default handling if no delegate takes the challenge.
  func ask(
    _ challenge: URLAuthenticationChallenge, then: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard mayAnswerChallenges else { return then(.performDefaultHandling, nil) }
    let (chain, session, task) = (chain, session, task)
    pump.post {
      chain.didReceiveChallenge(session, task, challenge) { disposition, credential in then(disposition, credential) }
    }
  }
}

// The storage may be a subclass of the app's, or have to wait for a service: it is never asked on the event loop. Its `async` members are
// called, whose base forms lead to the others, so that whatever a subclass overrides is found.

extension TaskLoad {
  nonisolated(nonsending) func storedCredential(for space: ProtectionSpace) async throws(LoadError) -> Credential? {
    guard let storage = session.settings.urlCredentialStorage else { return nil }
    let (space, task) = (URLProtectionSpace.make(space), task)
    let stored = try await AppWait<URLCredential?>.ask(context) { wait in
      Task { wait.answer(await storage.defaultCredential(for: space, task: task)) }
    }
    return stored.map { Credential($0) }
  }

  nonisolated(nonsending) func store(
    _ credential: Credential, for space: ProtectionSpace, insteadOf refused: [Credential]
  ) async throws(LoadError) {
    guard let storage = session.settings.urlCredentialStorage, let credential = URLCredential.make(credential) else { return }
    let (space, task) = (URLProtectionSpace.make(space), task)
    try await AppWait<Void>.ask(context) { wait in
      // Keeping may wait for the disk, which Swift's own threads must not. One queue each: a storage that hangs holds up no other.
      let queue = DispatchQueue(label: "credential storage")
      queue.async {
        storage.set(credential, for: space, task: task)
        Task {
          // The first one that works is what to try without asking, until the server refuses it.
          if let current = await storage.defaultCredential(for: space, task: task).map({ Credential($0) }),
            !refused.contains(where: { $0.proves(sameAs: current) })
          {
            return wait.answer(())
          }
          queue.async {
            storage.setDefaultCredential(credential, for: space, task: task)
            wait.answer(())
          }
        }
      }
    }
  }
}
