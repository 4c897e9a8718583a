import Foundation
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Collects what a task tells its delegate.
final class Collector: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  // @unchecked: written on the session's serial delegate queue, read after completion.
  private(set) var events: [String] = []
  private(set) var body = Data()
  private(set) var metrics: URLSessionTaskMetrics?
  private let onCompletion: @Sendable ((any Error)?) -> Void

  init(onCompletion: @escaping @Sendable ((any Error)?) -> Void) { self.onCompletion = onCompletion }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping (URLRequest?) -> Void
  ) {
    events.append("redirect")
    completionHandler(request)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    events.append("response")
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    if events.last != "data" { events.append("data") }
    body.append(data)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    events.append("metrics")
    self.metrics = metrics
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
    events.append("completion")
    onCompletion(error)
  }
}

/// A delegate between a session and another delegate, as logging and mocking libraries have one.
final class ForwardingDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  // @unchecked: immutable.
  private let inner: URLSessionDelegate?

  init(_ inner: URLSessionDelegate?) { self.inner = inner }

  private var data: URLSessionDataDelegate? { inner as? URLSessionDataDelegate }
  private var task: URLSessionTaskDelegate? { inner as? URLSessionTaskDelegate }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    self.data?.urlSession?(session, dataTask: dataTask, didReceive: data)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    self.task?.urlSession?(session, task: task, didFinishCollecting: metrics)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
    self.task?.urlSession?(session, task: task, didCompleteWithError: error)
  }
}

/// Sessions that report to a delegate.
func delegateChecks(_ checks: Checks) async {
  await checks.check("delegate gets its messages in order") {
    let collector = try await run(checks.url("bytes/100000")) { $0 }
    try expect(collector.events, ["response", "data", "metrics", "completion"], "order")
    try expect(collector.body.count, 100_000, "length")
  }
  await checks.check("delegate follows redirects and metrics count them") {
    let collector = try await run(checks.url("redirect/2")) { $0 }
    try expect(collector.events.filter { $0 == "redirect" }.count, 2, "redirect messages")
    try expect(collector.metrics?.redirectCount, 2, "redirectCount")
    try expect(collector.metrics?.transactionMetrics.count, 3, "transactions")
    try expect(collector.metrics?.transactionMetrics.last?.networkProtocolName, "http/1.1", "protocol")
  }
  await checks.check("optional-call syntax forwards to an inner delegate") {
    let collector = try await run(checks.url("bytes/50")) { ForwardingDelegate($0) }
    try expect(collector.events, ["data", "metrics", "completion"], "order")
    try expect(collector.body.count, 50, "length")
  }
}

private func run(_ url: URL, _ wrap: @Sendable (Collector) -> URLSessionDelegate) async throws -> Collector {
  let (completions, continuation) = AsyncStream.makeStream(of: Optional<Error>.self)
  let collector = Collector { error in
    continuation.yield(error)
    continuation.finish()
  }
  let session = URLSession(configuration: .ephemeral, delegate: wrap(collector), delegateQueue: nil)
  defer { session.finishTasksAndInvalidate() }
  session.dataTask(with: url).resume()
  for await case let error? in completions { throw error }
  return collector
}
