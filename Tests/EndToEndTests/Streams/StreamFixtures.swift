import Foundation
import LoadingModel
import URLLoadingSystem
import URLLoadingTestKit

/// A delegate of stream tasks that writes down what it is told.
final class StreamRecorder: NSObject, URLSessionStreamDelegate, URLSessionDataDelegate, Sendable {
  enum Event: Equatable, Sendable {
    case readClosed
    case writeClosed
    case becameStream
    case becameStreams
    case challenged(String)
    case completed(Int?)
  }

  /// What `didBecome` has brought.
  struct Streams: @unchecked Sendable {
    // @unchecked: handed from the delegate queue to the one test that uses them.
    let input: InputStream
    let output: OutputStream
  }

  private struct State {
    var events: [Event] = []
    var streams: Streams?
    var streamTask: URLSessionStreamTask?
    var metrics: URLSessionTaskMetrics?
  }

  private let state = Mutex(State())
  private let completion = Signal()
  private let capture = Signal()
  private let change = Signal()
  private let judge: ChallengeDelegate?
  private let disposition: URLSession.ResponseDisposition

  init(judge: ChallengeDelegate? = nil, disposition: URLSession.ResponseDisposition = .becomeStream) {
    self.judge = judge
    self.disposition = disposition
  }

  var events: [Event] { state.withLock { $0.events } }
  var metrics: URLSessionTaskMetrics? { state.withLock { $0.metrics } }

  /// Everything there was to tell, once the task has completed.
  func completed() async -> [Event] {
    await completion.wait()
    return events
  }

  /// The streams, once they are there.
  func captured() async -> Streams? {
    await capture.wait()
    return state.withLock { $0.streams }
  }

  /// The task that a data task has become.
  func streamTask() async -> URLSessionStreamTask? {
    await change.wait()
    return state.withLock { $0.streamTask }
  }

  private func note(_ event: Event) { state.withLock { $0.events.append(event) } }

  func urlSession(_ session: URLSession, readClosedFor streamTask: URLSessionStreamTask) { note(.readClosed) }

  func urlSession(_ session: URLSession, writeClosedFor streamTask: URLSessionStreamTask) { note(.writeClosed) }

  func urlSession(
    _ session: URLSession, streamTask: URLSessionStreamTask, didBecome inputStream: InputStream, outputStream: OutputStream
  ) {
    state.withLock { $0.streams = Streams(input: inputStream, output: outputStream) }
    note(.becameStreams)
    capture.send()
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    completionHandler(disposition)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didBecome streamTask: URLSessionStreamTask) {
    state.withLock { $0.streamTask = streamTask }
    note(.becameStream)
    change.send()
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    note(.challenged(challenge.protectionSpace.authenticationMethod))
    guard let judge else { return completionHandler(.performDefaultHandling, nil) }
    judge.urlSession(session, didReceive: challenge, completionHandler: completionHandler)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    state.withLock { $0.metrics = metrics }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    note(.completed((error as NSError?)?.code))
    completion.send()
  }
}

/// A server that sends exact bytes, a session, and a stream task to the server.
struct StreamBench {
  let server: TestServer
  let session: URLSession
  let recorder: StreamRecorder
  let task: URLSessionStreamTask

  /// Runs `body` with a task to a server that does `steps`; the task isn't resumed.
  static func with(
    _ steps: [RawStep], _ adjust: (inout TestServer.Options) -> Void = { _ in }, configuration: URLSessionConfiguration = .testing(),
    recorder: StreamRecorder = StreamRecorder(), host: String = "127.0.0.1", _ body: (StreamBench) async throws -> Void
  ) async throws {
    var options = TestServer.Options.raw(steps)
    options.allowsHalfClose = true
    adjust(&options)
    try await TestServer.with(options) { server async throws in
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let task = session.streamTask(withHostName: host, port: server.port)
      try await body(StreamBench(server: server, session: session, recorder: recorder, task: task))
      session.invalidateAndCancel()
    }
  }
}

extension URLSessionStreamTask {
  /// Reads as `readData` does, without a timeout.
  func text(atLeast minimum: Int = 1, atMost maximum: Int = 1 << 20) async throws -> String {
    String(decoding: try await readData(ofMinLength: minimum, maxLength: maximum, timeout: 0).0 ?? Data(), as: UTF8.self)
  }

  /// Everything up to the end.
  func textToEnd() async throws -> String {
    var all = Data()
    for _ in 0..<100_000 {
      let (data, isLast) = try await readData(ofMinLength: 1, maxLength: 1 << 20, timeout: 0)
      all += data ?? Data()
      if isLast { break }
    }
    return String(decoding: all, as: UTF8.self)
  }

  func send(_ text: String) async throws { try await write(Data(text.utf8), timeout: 0) }
}
