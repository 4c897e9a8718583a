import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel
import ProtocolRules

// Authentication challenges: converts the engine's challenges into public objects, which the pump brings to the delegates, and the answers back.

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

  /// Asks the delegates; may be called on any thread. `then` runs on any thread, with default handling if no delegate takes the challenge.
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

// A credential storage may be a subclass of the app's, or wait for a service such as the Secret Service: it is never called on the event loop. Its
// `async` members are called: their base implementations call the other members, so an override of either kind takes effect.

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
      // Writing may block on the disk, which threads of Swift's pool must not. Each write has a queue of its own, so a storage that hangs blocks no
      // other.
      let queue = DispatchQueue(label: "credential storage")
      queue.async {
        storage.set(credential, for: space, task: task)
        Task {
          // A default credential that the server hasn't refused stays; otherwise the new one, which has worked, becomes the default.
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
