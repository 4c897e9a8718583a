import Foundation
import LoadingModel
import URLLoadingSystem
import URLLoadingTestKit

/// The app of a case: the delegate of its session and of its tasks, which writes down what it is told and answers as the case says.
final class App: NSObject, Sendable {
  typealias Disposition = URLSession.AuthChallengeDisposition

  let chosen: Case
  let scene: Scene
  let journals: [Journal]
  let isInvalid = Watched(false)
  /// Whether the tasks of the case have begun: what comes before them is answered well.
  let hasBegun = Watched(false)
  /// Calls that came after the session's end.
  let afterInvalidation = Mutex(0)
  /// Journals of tasks whose requests don't tell their number.
  private let byIdentifier = Mutex<[Int: Journal]>([:])
  /// What is never answered: a handler that is dropped would count as an answer.
  private let held = Mutex<[@Sendable () -> Void]>([])

  init(_ chosen: Case, _ scene: Scene, _ journals: [Journal]) { (self.chosen, self.scene, self.journals) = (chosen, scene, journals) }

  func follow(_ task: URLSessionTask, _ journal: Journal) {
    byIdentifier.withLock { $0[task.taskIdentifier] = journal }
  }

  func journal(_ task: URLSessionTask) -> Journal? {
    if isInvalid.read({ $0 }) { afterInvalidation.withLock { $0 += 1 } }
    if let known = byIdentifier.withLock({ $0[task.taskIdentifier] }) { return known }
    guard let number = task.originalRequest?.value(forHTTPHeaderField: Users.field).flatMap({ Int($0) }) else { return nil }
    return journals.indices.contains(number) ? journals[number] : nil
  }

  /// The task that a call without a task of its own has made for this journal; nil before it has been made and after its end.
  func task(_ number: Int) -> URLSessionTask? { made.withLock { $0[number]?.task } }

  func noteMade(_ task: URLSessionTask) {
    guard let journal = journal(task) else { return }
    journal.note(.created, .created)
    made.withLock { $0[journal.number] = Made(task: task) }
  }

  private struct Made: Sendable {
    weak let task: URLSessionTask?
  }

  private let made = Mutex<[Int: Made]>([:])

  // MARK: tasks that others have become

  private struct Succession: Sendable {
    var successors: [Int: Made] = [:]
    var cancelled: Set<Int> = []
    var resumed: Set<Int> = []
  }

  private let succession = Mutex(Succession())

  /// The app that has cancelled a task means what it becomes as well.
  func succeed(_ number: Int, _ task: URLSessionTask) {
    let (isCancelled, isResumed) = succession.withLock { succession in
      succession.successors[number] = Made(task: task)
      return (succession.cancelled.contains(number), succession.resumed.contains(number))
    }
    if isCancelled { task.cancel() }
    if isResumed { task.resume() }
  }

  /// What the task has become, or becomes, isn't to stay suspended.
  func resumeSuccessor(of number: Int) {
    let task = succession.withLock { succession in
      succession.resumed.insert(number)
      return succession.successors[number]?.task
    }
    task?.resume()
  }

  func successor(of number: Int) -> URLSessionTask? { succession.withLock { $0.successors[number]?.task } }

  func cancelSuccessor(of number: Int) {
    let task = succession.withLock { succession in
      succession.cancelled.insert(number)
      return succession.successors[number]?.task
    }
    task?.cancel()
  }

  /// Lets go of what was never answered.
  func forget() { held.withLock { $0 = [] } }

  /// Does it at once or after some turns of the scheduler.
  func answer(isLate: Bool, _ body: @escaping @Sendable () -> Void) {
    guard isLate else { return body() }
    let turns = chosen.turns.number + 1
    Task {
      for _ in 0..<turns { await Task.yield() }
      body()
    }
  }

  func hold(_ body: @escaping @Sendable () -> Void) { held.withLock { $0.append(body) } }

  // MARK: challenges

  func answer(
    _ challenge: URLAuthenticationChallenge, _ journal: Journal?,
    _ handler: @escaping @Sendable (Disposition, URLCredential?) -> Void
  ) {
    let space = challenge.protectionSpace
    journal?.note(.challenge(space.authenticationMethod), .challenged)
    if journal == nil, hasBegun.read({ $0 }) { for journal in journals { journal.mark(.challenged) } }
    guard hasBegun.read({ $0 }) else { return handler(rightAnswer(challenge).0, rightAnswer(challenge).1) }
    switch chosen.answer {
    case .right:
      let (disposition, credential) = rightAnswer(challenge)
      handler(disposition, credential)
    case .late:
      let (disposition, credential) = rightAnswer(challenge)
      answer(isLate: true) { handler(disposition, credential) }
    case .wrong:
      guard space.authenticationMethod == NSURLAuthenticationMethodHTTPBasic, challenge.previousFailureCount < 2 else {
        return handler(.performDefaultHandling, nil)
      }
      handler(.useCredential, URLCredential(user: Users.name, password: "wrong", persistence: .none))
    case .rejects: handler(.rejectProtectionSpace, nil)
    case .cancels: handler(.cancelAuthenticationChallenge, nil)
    case .byDefault: handler(.performDefaultHandling, nil)
    case .never: hold { handler(.cancelAuthenticationChallenge, nil) }
    }
  }

  private func rightAnswer(_ challenge: URLAuthenticationChallenge) -> (Disposition, URLCredential?) {
    let space = challenge.protectionSpace
    switch space.authenticationMethod {
    case NSURLAuthenticationMethodServerTrust:
      guard let trust = space.serverTrust, journals.count.isMultiple(of: 2) else { return (.performDefaultHandling, nil) }
      return (.useCredential, URLCredential(trust: trust))
    case NSURLAuthenticationMethodClientCertificate:
      guard let identity = scene.identity else { return (.performDefaultHandling, nil) }
      return (.useCredential, URLCredential(identity: identity, certificates: nil, persistence: .forSession))
    default:
      guard challenge.previousFailureCount == 0 else { return (.performDefaultHandling, nil) }
      return (.useCredential, URLCredential(user: Users.name, password: Users.password, persistence: .forSession))
    }
  }
}
