import BackgroundTransfers
import Foundation
import Testing

@testable import URLLoadingSystem

/// How the app answers what the daemon asks.
@Suite(.timeLimit(.minutes(10))) struct DaemonQuestionTests {
  /// A delegate that takes no challenges.
  private final class Downloads: NSObject, URLSessionDownloadDelegate {
    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {}
  }

  @Test(arguments: ["test", "other"]) func storageAnswersForADelegateThatTakesNoChallenges(realm: String) async throws {
    let storage = URLCredentialStorage()
    let space = URLProtectionSpace(
      host: "a.test", port: 80, protocol: "http", realm: "test", authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    storage.setDefaultCredential(URLCredential(user: "me", password: "secret", persistence: .forSession), for: space)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCredentialStorage = storage
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let session = URLSession(configuration: configuration, delegate: Downloads(), delegateQueue: queue)
    defer {
      queue.isSuspended = false
      session.invalidateAndCancel()
    }
    let task = session.downloadTask(with: try #require(URL(string: "http://a.test/")))
    var question = ChallengeQuestion(task: 1, host: "a.test", port: 80, method: NSURLAuthenticationMethodHTTPBasic)
    (question.protocolName, question.realm) = ("http", realm)
    let (asked, answers) = (question, AsyncStream.makeStream(of: AppMessage.self))
    var answer = answers.stream.makeAsyncIterator()
    let expected: URLSession.AuthChallengeDisposition = realm == "test" ? .useCredential : .performDefaultHandling
    // The first question finds out that the delegate's class takes none.
    for number in [Int64(7), 8] {
      DaemonQuestion(number: number, task: task, session: session) { answers.continuation.yield($0) }.ask(asked)
      guard case .answer(question: number, let reply)? = await answer.next() else { return #expect(Bool(false), "it isn't the answer") }
      #expect(reply.disposition == expected.rawValue)
      queue.isSuspended = true
    }
  }

  /// A delegate that trusts what it is asked about, or always the same.
  private final class Truster: NSObject, URLSessionDownloadDelegate {
    let kept: SecTrust?

    init(_ kept: SecTrust?) { self.kept = kept }

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {}

    func urlSession(
      _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      completionHandler(.useCredential, (kept ?? challenge.protectionSpace.serverTrust).map { URLCredential(trust: $0) })
    }
  }

  @Test(arguments: [nil, "a.test", "b.test"]) func trustInAnotherServerIsNoAnswer(kept: String?) async throws {
    let certificate = SecCertificate(derRepresentation: Data("a certificate".utf8))
    let delegate = Truster(kept.map { SecTrust(chain: [certificate], host: $0) })
    let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    let task = session.downloadTask(with: try #require(URL(string: "https://a.test/")))
    var question = ChallengeQuestion(task: 1, host: "a.test", port: 443, method: NSURLAuthenticationMethodServerTrust)
    question.certificates = [certificate.derRepresentation]
    let (asked, answers) = (question, AsyncStream.makeStream(of: AppMessage.self))
    DaemonQuestion(number: 7, task: task, session: session) { answers.continuation.yield($0) }.ask(asked)
    var answer = answers.stream.makeAsyncIterator()
    guard case .answer(question: 7, let reply)? = await answer.next() else { return #expect(Bool(false), "it isn't the answer") }
    let expected: URLSession.AuthChallengeDisposition = kept == "b.test" ? .performDefaultHandling : .useCredential
    #expect(reply.disposition == expected.rawValue)
  }

  /// The daemon's load sends that user's password.
  @Test func storageDoesNotAnswerForTheUserOfTheURL() async throws {
    let storage = URLCredentialStorage()
    let space = URLProtectionSpace(
      host: "a.test", port: 80, protocol: "http", realm: "test", authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    storage.setDefaultCredential(URLCredential(user: "me", password: "secret", persistence: .forSession), for: space)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCredentialStorage = storage
    let session = URLSession(configuration: configuration, delegate: Downloads(), delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    let task = session.downloadTask(with: try #require(URL(string: "http://ann:pw@a.test/")))
    var question = ChallengeQuestion(task: 1, host: "a.test", port: 80, method: NSURLAuthenticationMethodHTTPBasic)
    (question.protocolName, question.realm) = ("http", "test")
    let (asked, answers) = (question, AsyncStream.makeStream(of: AppMessage.self))
    DaemonQuestion(number: 7, task: task, session: session) { answers.continuation.yield($0) }.ask(asked)
    var answer = answers.stream.makeAsyncIterator()
    guard case .answer(question: 7, let reply)? = await answer.next() else { return #expect(Bool(false), "it isn't the answer") }
    #expect(reply.disposition == URLSession.AuthChallengeDisposition.performDefaultHandling.rawValue)
  }
}
