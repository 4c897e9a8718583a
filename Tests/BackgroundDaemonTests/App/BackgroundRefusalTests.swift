import BackgroundTransfers
import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// What a background session doesn't do ends with an error that says so.
@Suite(.timeLimit(.minutes(10))) struct BackgroundRefusalTests {
  private func session() -> (URLSession, BackgroundRecorder) {
    let recorder = BackgroundRecorder()
    let configuration = URLSessionConfiguration.background(withIdentifier: UUID().uuidString)
    return (URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil), recorder)
  }

  private let url = URL(string: "http://127.0.0.1:9/")!

  @Test func completionHandlersAreRefused() async {
    let (session, _) = session()
    defer { session.invalidateAndCancel() }
    let (url, request) = (url, URLRequest(url: url))
    let file = URL(filePath: "/etc/passwd")
    let errors = await withTaskGroup(of: String.self) { group in
      group.addTask { await withCheckedContinuation { done in session.dataTask(with: url) { done.resume(returning: "\($2!)") }.resume() } }
      group.addTask {
        await withCheckedContinuation { done in session.downloadTask(with: url) { done.resume(returning: "\($2!)") }.resume() }
      }
      group.addTask {
        await withCheckedContinuation { done in
          session.uploadTask(with: request, fromFile: file) { done.resume(returning: "\($2!)") }.resume()
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(errors.count == 3)
    for error in errors { #expect(error.contains("no completion handlers"), "\(error)") }
  }

  @Test func asyncFormsAreRefused() async {
    let (session, _) = session()
    defer { session.invalidateAndCancel() }
    let url = url
    for load: @Sendable () async throws -> Void in [
      { _ = try await session.data(from: url) }, { _ = try await session.download(from: url) },
      { _ = try await session.upload(for: URLRequest(url: url), fromFile: URL(filePath: "/etc/passwd")) },
    ] {
      let error = await #expect(throws: URLError.self) { try await load() }
      #expect(error?.localizedDescription.contains("no async forms") == true)
    }
  }

  @Test func uploadsOfDataAndStreamsAreRefused() async throws {
    let (session, recorder) = session()
    defer { session.invalidateAndCancel() }
    for task in [
      session.uploadTask(with: URLRequest(url: url), from: Data("a".utf8)), session.uploadTask(withStreamedRequest: URLRequest(url: url)),
    ] {
      task.resume()
      let error = await recorder.end(of: task)
      #expect(error?.localizedDescription.contains("file") == true)
    }
  }

  /// A message that is too large isn't sent; the task would wait for ever.
  @Test func whatTheDaemonCantKeepIsRefused() async throws {
    let (session, recorder) = session()
    defer { session.invalidateAndCancel() }
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.httpBody = Data(count: 20 << 20)
    let task = session.downloadTask(with: request)
    task.resume()
    #expect((await recorder.end(of: task) as? URLError)?.code == .dataLengthExceedsMaximum)
  }

  @Test func longDescriptionStaysInTheProcess() async throws {
    try await TestServer.with { server async throws in
      let (session, recorder) = session()
      defer { session.invalidateAndCancel() }
      server.route("/f", reply: .text("content"))
      let task = session.downloadTask(with: server.url("/f"))
      task.taskDescription = String(repeating: "d", count: 20 << 20)
      task.resume()
      #expect(await recorder.end(of: task) == nil)
      #expect(task.taskDescription?.utf8.count == 20 << 20)
    }
  }

  @Test func fileThatIsMissingIsNamedAtOnce() async throws {
    let (session, recorder) = session()
    defer { session.invalidateAndCancel() }
    let task = session.uploadTask(with: URLRequest(url: url), fromFile: URL(filePath: "/nowhere/at-all"))
    task.resume()
    let error = await recorder.end(of: task) as? URLError
    #expect(error?.code == .fileDoesNotExist)
    #expect(error?.localizedDescription.contains("/nowhere/at-all") == true)
  }

  @Test(arguments: ["ftp://127.0.0.1/a", "file:///etc/passwd", "data:,a"]) func otherSchemesAreRefused(_ text: String) async throws {
    let (session, recorder) = session()
    defer { session.invalidateAndCancel() }
    let task = session.downloadTask(with: try #require(URL(string: text)))
    task.resume()
    #expect((await recorder.end(of: task) as? URLError)?.code == .unsupportedURL)
  }

  @Test func delegatesOfSingleTasksAreRefused() async throws {
    let (session, recorder) = session()
    defer { session.invalidateAndCancel() }
    let task = session.downloadTask(with: url)
    task.delegate = BackgroundRecorder()
    let error = await recorder.end(of: task)
    #expect(error?.localizedDescription.contains("no delegates of single tasks") == true)
  }

  @Test func sessionWithoutADelegateLoadsNothing() async throws {
    let session = URLSession(configuration: .background(withIdentifier: UUID().uuidString))
    let task = session.downloadTask(with: url)
    task.resume()
    #expect(await session.allTasks.isEmpty)
    #expect(session.delegate == nil)
  }

  @Test func secondSessionOfAnIdentifierIsInvalid() async throws {
    let configuration = URLSessionConfiguration.background(withIdentifier: UUID().uuidString)
    let first = URLSession(configuration: configuration, delegate: BackgroundRecorder(), delegateQueue: nil)
    let recorder = BackgroundRecorder()
    let second = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
    #expect((await recorder.invalidation() as? URLError)?.code == .backgroundSessionInUseByAnotherProcess)
    let task = second.downloadTask(with: url)
    task.resume()
    #expect(task.taskIdentifier > 0)
    first.invalidateAndCancel()
  }

  @Test func failedSessionHasReleasedItsIdentifierWhenItsDelegateIsTold() async throws {
    let identifier = UUID().uuidString
    let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
    let starter = DaemonStarter(places: try .standard(), environment: ProcessEnvironment.variables)
    // The session of another process, as far as the daemon is told.
    let owner = Peer(try starter.connect(patience: 10))
    let terms = SessionTerms(configuration, identifier: identifier)
    owner.send(.attach(Attachment(terms: terms, answersChallenges: false, answersDelays: false, wasLaunched: false, process: 1)))
    try await owner.caughtUp()
    let successor = Successor()
    let session = URLSession(configuration: configuration, delegate: successor, delegateQueue: nil)
    let error = await successor.recorder.invalidation()
    // The daemon has refused the next session as well, and not this process.
    #expect(error?.localizedDescription.contains("Process \(getpid()) has the session") == true)
    withExtendedLifetime(session) {}
    owner.send(.invalidate(cancelling: true))
    try await owner.next("invalidated") { if case .invalidated = $0 { () } else { nil } }
  }
}

/// A delegate that makes the next session of the identifier as soon as it is told that its own is invalid.
private final class Successor: NSObject, URLSessionDelegate {
  let recorder = BackgroundRecorder()
  private let next = Mutex<URLSession?>(nil)

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    let made = URLSession(configuration: session.configuration, delegate: recorder, delegateQueue: nil)
    next.withLock { $0 = made }
  }
}
