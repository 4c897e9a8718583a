import Foundation
import LoadingModel
import URLLoadingSystem
import URLLoadingTestKit

/// A delegate of WebSocket tasks that writes down what it is told.
final class WebSocketRecorder: NSObject, URLSessionWebSocketDelegate, Sendable {
  enum Event: Equatable, Sendable {
    case opened(String?)
    case closed(Int, String?)
    case completed(domain: String?, code: Int?)

    static func completed(_ code: Int?) -> Event { .completed(domain: code == nil ? nil : NSURLErrorDomain, code: code) }
  }

  private let state = Mutex<[Event]>([])
  private let completion = Signal()
  private let opening = Signal()

  var events: [Event] { state.withLock { $0 } }

  /// Everything there was to tell, once the task has completed.
  func completed() async -> [Event] {
    await completion.wait()
    return events
  }

  func opened() async { await opening.wait() }

  func urlSession(_ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol protocol: String?) {
    state.withLock { $0.append(.opened(`protocol`)) }
    opening.send()
  }

  func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
  ) {
    state.withLock { $0.append(.closed(closeCode.rawValue, reason.map { String(decoding: $0, as: UTF8.self) })) }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let error = error as NSError?
    state.withLock { $0.append(.completed(domain: error?.domain, code: error?.code)) }
    completion.send()
  }
}

/// A server, a session and a task at a WebSocket of it.
struct WebSocketBench {
  let server: TestServer
  let service: WebSocketService
  let session: URLSession
  let recorder: WebSocketRecorder
  let task: URLSessionWebSocketTask

  /// Runs `body` with a task at a server that behaves as `conduct` says; the task isn't resumed.
  static func with(
    _ conduct: WebSocketService.Conduct, headers: HeaderList = [:], options: TestServer.Options = .http,
    configuration: URLSessionConfiguration = .testing(), protocols: [String] = [], _ body: (WebSocketBench) async throws -> Void
  ) async throws {
    try await TestServer.with(options) { server async throws in
      let service = WebSocketService(conduct, headers: headers)
      server.route("/socket", reply: .webSocket(service))
      let recorder = WebSocketRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let task = session.webSocketTask(with: server.webSocketURL("/socket"), protocols: protocols)
      try await body(WebSocketBench(server: server, service: service, session: session, recorder: recorder, task: task))
      session.invalidateAndCancel()
    }
  }
}

extension TestServer {
  /// `url(_:)` with the scheme of a WebSocket.
  func webSocketURL(_ path: String, host: String? = nil) -> URL {
    let url = host.map { self.url(path, host: $0) } ?? self.url(path)
    return URL(string: "ws" + url.absoluteString.dropFirst(4)) ?? url
  }
}

extension URLSessionWebSocketTask.Message {
  var text: String? {
    if case .string(let text) = self { text } else { nil }
  }

  var data: Data? {
    if case .data(let data) = self { data } else { nil }
  }
}
