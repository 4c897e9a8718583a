import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Uploads whose redirects the delegate answers with a request of its own.
@Suite(.timeLimit(.minutes(10))) struct UploadRedirectTests {
  /// Tasks that upload the same content in each of the forms that there are.
  private func tasks(_ session: URLSession, _ request: URLRequest, _ file: SourceFile) -> [URLSessionUploadTask] {
    [
      session.uploadTask(with: request, from: file.content), session.uploadTask(with: request, fromFile: file.url),
      session.uploadTask(withStreamedRequest: request),
    ]
  }

  /// Uploads "sent" by `method` in each of the forms to a server that redirects with `status`, and looks at each task at its end.
  ///
  /// - Returns: The requests that the server has had, and how often a stream was asked for.
  private func upload(
    _ method: String, redirectedBy status: Int, answering answer: RedirectAnswer, over wire: Wire, bodies: [Data?] = [nil],
    _ look: (_ task: URLSessionTask, _ own: Data?, _ target: URL) -> Void = { _, _, _ in }
  ) async throws -> (requests: [RecordedRequest], asked: Int) {
    let result = Mutex<(requests: [RecordedRequest], asked: Int)>(([], 0))
    try await wire.serve { server, configuration async throws in
      server.route("/from", reply: .redirect(to: "/to", status: status))
      server.route("/to", reply: .text("ok"))
      let file = try SourceFile(Data("sent".utf8))
      let delegate = RedirectAnswerer(answer, file.content)
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      for own in bodies {
        for task in tasks(session, URLRequest(method, server.url("/from"), body: own), file) {
          task.resume()
          #expect(await delegate.completion() == nil)
          look(task, own, server.url("/to"))
        }
      }
      result.withLock { $0 = (server.requests, delegate.asked) }
      session.invalidateAndCancel()
    }
    return result.withLock { $0 }
  }

  @Test(arguments: RedirectAnswer.keepingTheMethod, Wire.allCases)
  func answerMadeOfTheTasksRequestsSendsTheUpload(_ answer: RedirectAnswer, _ wire: Wire) async throws {
    let others = answer == .otherBody ? Data("other".utf8) : nil
    let (requests, asked) = try await upload(
      "PUT", redirectedBy: 307, answering: answer, over: wire, bodies: [nil, Data("own".utf8)]
    ) { task, own, target in
      #expect(task.currentRequest?.url == target)
      #expect(task.currentRequest?.httpBody == others ?? own)
    }
    let texts = ["sent", others == nil ? "sent" : "other"]
    #expect(requests.map(\.text) == (0..<6).flatMap { _ in texts })
    #expect(asked == (others == nil ? 4 : 2))
  }

  /// The proposed request is a GET without a body.
  @Test(arguments: Wire.allCases) func postThatTheAnswerKeepsSendsTheUpload(_ wire: Wire) async throws {
    let (requests, _) = try await upload("POST", redirectedBy: 302, answering: .original, over: wire)
    #expect(requests.map(\.method) == Array(repeating: "POST", count: 6))
    #expect(requests.map(\.text) == Array(repeating: "sent", count: 6))
  }

  @Test(arguments: Wire.allCases) func answerThatFetchesHasNoBody(_ wire: Wire) async throws {
    let (requests, _) = try await upload("PUT", redirectedBy: 307, answering: .fetching, over: wire)
    #expect(requests.map(\.method) == ["PUT", "GET", "PUT", "GET", "PUT", "GET"])
    #expect(requests.map(\.text) == ["sent", "", "sent", "", "sent", ""])
  }

  /// A protocol class is shown the upload's body, but may make its request from the task's.
  @Test func redirectOfAProtocolClassSendsTheUpload() async throws {
    try await TestServer.with { server async throws in
      server.route("/to", reply: .text("ok"))
      let target = server.url("/to")
      let url = try ScriptedProtocol.url { scripted in
        guard var request = scripted.task?.currentRequest, let url = request.url,
          let response = HTTPURLResponse(url: url, statusCode: 307, httpVersion: nil, headerFields: nil)
        else { return }
        request.url = target
        scripted.client?.urlProtocol(scripted, wasRedirectedTo: request, redirectResponse: response)
      }
      let session = ScriptedProtocol.session()
      let file = try SourceFile(Data("sent".utf8))
      _ = try await session.upload(for: URLRequest("PUT", url), from: file.content)
      _ = try await session.upload(for: URLRequest("PUT", url), fromFile: file.url)
      #expect(server.requests.map(\.text) == ["sent", "sent"])
      session.invalidateAndCancel()
    }
  }
}

/// What a redirect is answered with.
enum RedirectAnswer: Sendable {
  /// The task's requests, with the URL that the redirect leads to.
  case current
  case original
  /// What is proposed, with the body that the task's request has.
  case bodyOfOriginal
  /// What is proposed, with other bytes.
  case otherBody
  /// A GET, made anew.
  case fetching

  static let keepingTheMethod: [RedirectAnswer] = [.current, .original, .bodyOfOriginal, .otherBody]

  func request(_ task: URLSessionTask, _ proposed: URLRequest) -> URLRequest? {
    switch self {
    case .current: return RedirectAnswer.request(task.currentRequest, proposed)
    case .original: return RedirectAnswer.request(task.originalRequest, proposed)
    case .bodyOfOriginal, .otherBody:
      var request = proposed
      request.httpBody = self == .otherBody ? Data("other".utf8) : task.originalRequest?.httpBody
      return request
    case .fetching: return proposed.url.map { URLRequest(url: $0) }
    }
  }

  private static func request(_ request: URLRequest?, _ proposed: URLRequest) -> URLRequest? {
    var request = request
    request?.url = proposed.url
    return request
  }
}

/// A delegate that answers redirects, and supplies the same bytes as often as it is asked for a stream. One task at a time.
private final class RedirectAnswerer: NSObject, URLSessionDataDelegate {
  private struct State {
    var asked = 0
    var error: (any Error)?
  }

  private let state = Mutex(State())
  private let ended = Signal()
  private let answer: RedirectAnswer
  private let content: Data

  init(_ answer: RedirectAnswer, _ content: Data) {
    self.answer = answer
    self.content = content
  }

  /// How often a stream was asked for.
  var asked: Int { state.withLock(\.asked) }

  /// The error of the task, once it has ended.
  func completion() async -> (any Error)? {
    await ended.wait()
    return state.withLock(\.error)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(answer.request(task, request))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    state.withLock { $0.asked += 1 }
    completionHandler(InputStream(data: content))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    state.withLock { $0.error = error }
    ended.send()
  }
}
