import BackgroundTransfers
import Foundation
import HTTPTransport
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Background sessions as an app uses them, with the daemon that the library starts.
@Suite(.timeLimit(.minutes(10))) struct BackgroundSessionTests {
  private func with(
    _ recorder: BackgroundRecorder = BackgroundRecorder(), _ options: TestServer.Options = .init(),
    change: (URLSessionConfiguration) -> Void = { _ in },
    _ body: (URLSession, TestServer) async throws -> Void
  ) async throws {
    try await TestServer.with(options) { server async throws in
      let configuration = URLSessionConfiguration.background(withIdentifier: UUID().uuidString)
      change(configuration)
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      try await body(session, server)
      session.invalidateAndCancel()
      #expect(await recorder.invalidation() == nil)
    }
  }

  private func file(_ content: String) throws -> URL {
    let file = FileManager.default.temporaryDirectory.appending(path: "background-\(UUID().uuidString)")
    try Data(content.utf8).write(to: file)
    return file
  }

  /// 100,000 bytes; an answer to a request for all of them has the fault.
  private func serveRanges(on server: TestServer, at path: String, first fault: Fault) {
    server.route(path) { request in
      guard let range = request.headers["Range"] else {
        return Reply(headers: ["ETag": "\"a\""], body: .pattern(count: 100_000)).with(fault)
      }
      let offset = Int(range.dropFirst(6).dropLast()) ?? 0
      return Reply(
        206, headers: ["ETag": "\"a\"", "Content-Range": "bytes \(offset)-99999/100000"],
        body: .pattern(from: offset, count: 100_000 - offset))
    }
  }

  @Test func downloadArrivesAndItsFileGoesWithTheCallback() async throws {
    let recorder = BackgroundRecorder()
    try await with(recorder) { session, server in
      server.route("/f", reply: Reply(headers: ["X-Own": "yes"], body: .text("content")))
      let task = session.downloadTask(with: server.url("/f"))
      task.taskDescription = "mine"
      task.resume()
      #expect(await recorder.end(of: task) == nil)
      #expect(recorder.content(of: task) == Data("content".utf8))
      #expect(recorder.events == ["file", "metrics http/1.1", "completed ok"])
      #expect((task.response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-Own") == "yes")
      #expect(task.state == .completed)
      #expect(task.countOfBytesReceived == 7)
      #expect(await session.allTasks.isEmpty)
    }
  }

  @Test func uploadIsSentFromItsFileAndTheAnswerIsData() async throws {
    let recorder = BackgroundRecorder()
    let file = try file("what is sent")
    defer { try? FileManager.default.removeItem(at: file) }
    try await with(recorder) { session, server in
      server.route("/u") { .text("got \($0.text)") }
      var request = URLRequest(url: server.url("/u"))
      request.httpMethod = "PUT"
      let task = session.uploadTask(with: request, fromFile: file)
      task.resume()
      #expect(await recorder.end(of: task) == nil)
      #expect(recorder.content(of: task) == Data("got what is sent".utf8))
      #expect(task.countOfBytesSent == 12)
    }
  }

  @Test func tasksBeginSuspended() async throws {
    let recorder = BackgroundRecorder()
    try await with(recorder) { session, server in
      server.route("/f", reply: .text("a"))
      let waiting = session.downloadTask(with: server.url("/f"))
      let other = session.downloadTask(with: server.url("/f"))
      other.resume()
      #expect(await recorder.end(of: other) == nil)
      #expect(server.requests.count == 1)
      #expect(await session.allTasks == [waiting])
      waiting.resume()
      #expect(await recorder.end(of: waiting) == nil)
    }
  }

  @Test func redirectsAreFollowedWithoutAsking() async throws {
    let recorder = BackgroundRecorder()
    try await with(recorder) { session, server in
      server.route("/from", reply: .redirect(to: "/to"))
      server.route("/to", reply: .text("there"))
      let task = session.downloadTask(with: server.url("/from"))
      task.resume()
      #expect(await recorder.end(of: task) == nil)
      #expect(recorder.content(of: task) == Data("there".utf8))
      #expect(!recorder.events.contains("redirection"))
      #expect(task.currentRequest?.url?.path == "/to")
      #expect(task.originalRequest?.url?.path == "/from")
    }
  }

  @Test func statusIsAnAnswerAndNotAnError() async throws {
    let recorder = BackgroundRecorder()
    try await with(recorder) { session, server in
      let task = session.downloadTask(with: server.url("/status-of-nothing"))
      task.resume()
      #expect(await recorder.end(of: task) == nil)
      #expect((task.response as? HTTPURLResponse)?.statusCode == 404)
    }
  }

  @Test func brokenDownloadGoesOnWhereItWas() async throws {
    let recorder = BackgroundRecorder()
    try await with(recorder) { session, server in
      serveRanges(on: server, at: "/f", first: .disconnectAfterBodyBytes(60_000))
      let task = session.downloadTask(with: server.url("/f"))
      task.resume()
      #expect(await recorder.end(of: task) == nil)
      #expect(recorder.content(of: task).map { AlphabetPattern.match($0, at: 0) && $0.count == 100_000 } == true)
      #expect(server.requests.count == 2)
    }
  }

  @Test func loginIsAskedOfTheApp() async throws {
    let recorder = BackgroundRecorder(credential: URLCredential(user: "u", password: "p", persistence: .forSession))
    try await with(recorder, .init()) { session, server in
      server.route("/private") { request in
        request.headers["Authorization"] == nil ? Reply(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""]) : .text("in")
      }
      let task = session.downloadTask(with: server.url("/private"))
      task.resume()
      #expect(await recorder.end(of: task) == nil)
      #expect(recorder.content(of: task) == Data("in".utf8))
      #expect(recorder.events.first == "challenge NSURLAuthenticationMethodHTTPBasic 0")
    }
  }

  @Test func trustIsAskedOfTheApp() async throws {
    let authority = try TestCertificateAuthority(name: "Unknown")
    var options = TestServer.Options()
    options.tls = .certificate(try authority.issue())
    let recorder = BackgroundRecorder(trusts: true)
    try await with(recorder, options) { session, server in
      server.route("/f", reply: .text("secret"))
      let task = session.downloadTask(with: server.url("/f"))
      task.resume()
      #expect(await recorder.end(of: task) == nil)
      #expect(recorder.events.contains("challenge NSURLAuthenticationMethodServerTrust 0"))
    }
  }

  @Test func untrustedServerEndsTheTaskAtOnce() async throws {
    let authority = try TestCertificateAuthority(name: "Unknown")
    var options = TestServer.Options()
    options.tls = .certificate(try authority.issue())
    let recorder = BackgroundRecorder()
    try await with(recorder, options) { session, server in
      let task = session.downloadTask(with: server.url("/f"))
      task.resume()
      #expect((await recorder.end(of: task) as? URLError)?.code == .serverCertificateHasUnknownRoot)
    }
  }

  /// A delegate that evaluates servers itself, and accepts those that pass.
  private final class Evaluator: NSObject, URLSessionDownloadDelegate {
    let verdicts = AsyncStream.makeStream(of: Bool.self)

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {}

    func urlSession(
      _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      let trust = challenge.protectionSpace.serverTrust
      let isTrusted = trust?.verdict().isTrusted ?? false
      verdicts.continuation.yield(isTrusted)
      completionHandler(isTrusted ? .useCredential : .cancelAuthenticationChallenge, trust.map { URLCredential(trust: $0) })
    }
  }

  @Test func delegateEvaluatesServersByTheAnchorsOfItsSession() async throws {
    let authority = try TestCertificateAuthority(name: "Own")
    var options = TestServer.Options()
    options.tls = .certificate(try authority.issue())
    try await TestServer.with(options) { server async throws in
      server.route("/f", reply: .text("secret"))
      let configuration = URLSessionConfiguration.background(withIdentifier: UUID().uuidString)
      configuration.trustedRootsPEM = [authority.pem]
      let delegate = Evaluator()
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      session.downloadTask(with: server.url("/f")).resume()
      var verdicts = delegate.verdicts.stream.makeAsyncIterator()
      #expect(await verdicts.next() == true)
      session.invalidateAndCancel()
    }
  }

  @Test func delayedTaskIsAskedAboutAndMayGetAnotherRequest() async throws {
    let recorder = BackgroundRecorder { request in
      var request = request
      request.setValue("late", forHTTPHeaderField: "X-When")
      return (.useNewRequest, request)
    }
    try await with(recorder) { session, server in
      server.route("/f") { .text($0.headers["X-When"] ?? "-") }
      let task = session.downloadTask(with: server.url("/f"))
      task.earliestBeginDate = Date()
      task.resume()
      #expect(await recorder.end(of: task) == nil)
      #expect(recorder.content(of: task) == Data("late".utf8))
      #expect(recorder.events.first == "delayed")
    }
  }

  @Test func resumeDataOfACancelledDownloadResumesIt() async throws {
    let recorder = BackgroundRecorder()
    try await with(recorder) { session, server in
      serveRanges(on: server, at: "/f", first: .stallAfter(bodyBytes: 50_000))
      let task = session.downloadTask(with: server.url("/f"))
      task.resume()
      await recorder.firstBytes(of: task)
      let data = try #require(await task.cancelByProducingResumeData())
      #expect((await recorder.end(of: task) as? URLError)?.downloadTaskResumeData == data)
      let rest = session.downloadTask(withResumeData: data)
      rest.resume()
      #expect(await recorder.end(of: rest) == nil)
      #expect(recorder.content(of: rest)?.count == 100_000)
    }
  }

  @Test func invalidatedSessionCancelsItsTasksInTheDaemonToo() async throws {
    let recorder = BackgroundRecorder()
    try await TestServer.with { server async throws in
      let gate = Gate()
      server.route("/f", reply: .text("a").with(.delayBeforeHeaders(gate)))
      let configuration = URLSessionConfiguration.background(withIdentifier: UUID().uuidString)
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let task = session.downloadTask(with: server.url("/f"))
      task.resume()
      session.invalidateAndCancel()
      #expect((await recorder.end(of: task) as? URLError)?.code == .cancelled)
      #expect(await recorder.invalidation() == nil)
      // A session of the same identifier finds nothing.
      let other = BackgroundRecorder()
      let again = URLSession(configuration: configuration, delegate: other, delegateQueue: nil)
      #expect(await again.allTasks.isEmpty)
      again.invalidateAndCancel()
      #expect(await other.invalidation() == nil)
      gate.open()
    }
  }

  @Test func theAsyncFormsComeBehindTheMissedEvents() async throws {
    try await TestServer.with { server async throws in
      server.route("/f", reply: .text("content"))
      let identifier = UUID().uuidString
      let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
      let starter = DaemonStarter(places: try .standard(), environment: ProcessEnvironment.variables)
      let earlier = Peer(try starter.connect(patience: 10))
      let terms = SessionTerms(configuration, identifier: identifier)
      earlier.send(
        .attach(Attachment(terms: terms, answersChallenges: false, answersDelays: false, wasLaunched: false, process: getpid())))
      try await earlier.caughtUp()
      earlier.begin(.download(1, server.url("/f")))
      _ = try await earlier.event()
      earlier.link.close()
      await earlier.end()
      let recorder = BackgroundRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      #expect(await session.allTasks.isEmpty)
      #expect(recorder.events.contains("completed ok"))
      #expect(await session.tasks.2.isEmpty)
      session.invalidateAndCancel()
      #expect(await recorder.invalidation() == nil)
    }
  }

  @Test func shortTransfersTellTheirProgressToo() async throws {
    let recorder = BackgroundRecorder()
    try await with(recorder) { session, server in
      server.route("/f", reply: .text("content"))
      server.route("/u", reply: Reply(204))
      let download = session.downloadTask(with: server.url("/f"))
      download.resume()
      #expect(await recorder.end(of: download) == nil)
      #expect(recorder.bytesWritten(by: download) == 7)
      var request = URLRequest(url: server.url("/u"))
      request.httpMethod = "POST"
      let source = try file("what is sent")
      defer { try? FileManager.default.removeItem(at: source) }
      let upload = session.uploadTask(with: request, fromFile: source)
      upload.resume()
      #expect(await recorder.end(of: upload) == nil)
      #expect(recorder.bytesSent(by: upload) == 12)
    }
  }

  @Test(arguments: [0, 100]) func restoredTaskExpectsToSendTheBodyOfItsRequest(size: Int) async throws {
    let identifier = UUID().uuidString
    let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
    let starter = DaemonStarter(places: try .standard(), environment: ProcessEnvironment.variables)
    let earlier = Peer(try starter.connect(patience: 10))
    let terms = SessionTerms(configuration, identifier: identifier)
    earlier.send(
      .attach(Attachment(terms: terms, answersChallenges: false, answersDelays: false, wasLaunched: false, process: getpid())))
    try await earlier.caughtUp()
    var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:9/f")))
    if size > 0 { (request.httpMethod, request.httpBody) = ("POST", Data(count: size)) }
    var order = TransferOrder(
      task: 1, kind: .download, request: try #require(BackgroundCoding.data(request)), shownURL: "http://127.0.0.1:9/f")
    order.description = ""
    earlier.send(.create(order))
    try await earlier.created(1)
    earlier.link.close()
    await earlier.end()
    let recorder = BackgroundRecorder()
    let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
    let task = try #require(await session.allTasks.first)
    #expect(task.countOfBytesExpectedToSend == Int64(size))
    #expect(task.taskDescription == "")
    session.invalidateAndCancel()
    #expect(await recorder.invalidation() == nil)
  }

  /// A cookie of the shared storage that ends with the process, for a path of its own.
  private func sessionCookie(for url: URL) throws -> HTTPCookie {
    let host = try #require(url.host)
    return try #require(HTTPCookie(properties: [.name: "sid", .value: "7", .domain: host, .path: url.path]))
  }

  @Test func sessionCookiesOfTheSharedStorageAreSent() async throws {
    let recorder = BackgroundRecorder()
    try await with(recorder) { session, server in
      let url = server.url("/cookies-\(UUID().uuidString)")
      server.route(url.path) { .text($0.headers["Cookie"] ?? "-") }
      let cookie = try sessionCookie(for: url)
      HTTPCookieStorage.shared.setCookie(cookie)
      defer { HTTPCookieStorage.shared.deleteCookie(cookie) }
      let task = session.downloadTask(with: url)
      task.resume()
      #expect(await recorder.end(of: task) == nil)
      #expect(recorder.content(of: task) == Data("sid=7".utf8))
      #expect(task.currentRequest?.value(forHTTPHeaderField: "Cookie") == nil)
    }
  }

  @Test func aDownloadThatIsResumedSendsTheCookiesOfNow() async throws {
    let recorder = BackgroundRecorder()
    try await with(recorder) { session, server in
      let url = server.url("/cookies-\(UUID().uuidString)")
      serveRanges(on: server, at: url.path, first: .stallAfter(bodyBytes: 50_000))
      let (host, storage) = (try #require(url.host), HTTPCookieStorage.shared)
      func set(_ value: String) throws -> HTTPCookie {
        let cookie = try #require(HTTPCookie(properties: [.name: "sid", .value: value, .domain: host, .path: url.path]))
        storage.setCookie(cookie)
        return cookie
      }
      _ = try set("old")
      let task = session.downloadTask(with: url)
      task.resume()
      await recorder.firstBytes(of: task)
      let data = try #require(await task.cancelByProducingResumeData())
      let cookie = try set("new")
      defer { storage.deleteCookie(cookie) }
      let rest = session.downloadTask(withResumeData: data)
      rest.resume()
      #expect(await recorder.end(of: rest) == nil)
      #expect(server.requests.map { $0.headers["Cookie"] } == ["sid=old", "sid=new"])
    }
  }

  @Test func anotherRequestOfADelayedTaskHasCookiesToo() async throws {
    let path = "/cookies-\(UUID().uuidString)"
    let recorder = BackgroundRecorder(delayed: { request in
      var other = request
      other.url = URL(string: path, relativeTo: request.url)?.absoluteURL
      return (.useNewRequest, other)
    })
    try await with(recorder) { session, server in
      server.route(path) { .text($0.headers["Cookie"] ?? "-") }
      let cookie = try sessionCookie(for: server.url(path))
      HTTPCookieStorage.shared.setCookie(cookie)
      defer { HTTPCookieStorage.shared.deleteCookie(cookie) }
      let task = session.downloadTask(with: server.url("/f"))
      task.earliestBeginDate = Date(timeIntervalSince1970: 1)
      task.resume()
      #expect(await recorder.end(of: task) == nil)
      #expect(recorder.content(of: task) == Data("sid=7".utf8))
    }
  }

  /// A delegate that takes no challenges.
  private final class Statuses: NSObject, URLSessionDownloadDelegate {
    let ends = AsyncStream.makeStream(of: Int?.self)

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {}

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      ends.continuation.yield((task.response as? HTTPURLResponse)?.statusCode)
    }
  }

  @Test func credentialsInMemoryAnswerWhereTheDelegateDoesNot() async throws {
    try await TestServer.with { server async throws in
      server.add(.standard)
      let url = server.url("/basic-auth/me/secret")
      let storage = URLCredentialStorage()
      let space = URLProtectionSpace(
        host: try #require(url.host), port: try #require(url.port), protocol: url.scheme, realm: "test",
        authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
      storage.setDefaultCredential(URLCredential(user: "me", password: "secret", persistence: .forSession), for: space)
      let configuration = URLSessionConfiguration.background(withIdentifier: UUID().uuidString)
      configuration.urlCredentialStorage = storage
      let delegate = Statuses()
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      session.downloadTask(with: url).resume()
      var ends = delegate.ends.stream.makeAsyncIterator()
      #expect(await ends.next() == 200)
      session.invalidateAndCancel()
    }
  }

  @Test func dataTasksRunInTheApp() async throws {
    let recorder = BackgroundRecorder()
    try await with(recorder) { session, server in
      server.route("/f", reply: .text("data"))
      let task = session.dataTask(with: server.url("/f"))
      task.resume()
      #expect(await recorder.end(of: task) == nil)
      #expect(recorder.content(of: task) == Data("data".utf8))
      // Redirects are followed without a call of the delegate.
      server.route("/old", reply: Reply(302, headers: ["Location": "/f"], body: .text("elsewhere")))
      let redirected = session.dataTask(with: server.url("/old"))
      redirected.resume()
      #expect(await recorder.end(of: redirected) == nil)
      #expect(recorder.content(of: redirected) == Data("data".utf8))
      #expect((redirected.response as? HTTPURLResponse)?.statusCode == 200)
    }
  }

  @Test func fieldsOfTheConfigurationAreSent() async throws {
    let recorder = BackgroundRecorder()
    try await with(recorder, change: { $0.httpAdditionalHeaders = ["X-Session": "s"] }) { session, server in
      server.route("/f") { .text("\($0.headers["X-Session"] ?? "-") \($0.headers["User-Agent"] ?? "-")") }
      let task = session.downloadTask(with: server.url("/f"))
      task.resume()
      #expect(await recorder.end(of: task) == nil)
      let text = String(decoding: recorder.content(of: task) ?? Data(), as: UTF8.self)
      #expect(text.hasPrefix("s ") && !text.contains("urlsessiond"))
    }
  }
}
