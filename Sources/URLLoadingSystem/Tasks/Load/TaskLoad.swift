import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel
import NIOCore

/// One run of a task through the engine: takes what the engine reports and gives it to whom the task delivers.
///
/// Keeps task and session alive while it runs. Confined to the session's event loop, but for what it posts.
final class TaskLoad: LoadClient, @unchecked Sendable {
  // @unchecked: `task`, `response`, `file` and `capture` are set before the load starts and confined to the session's event loop from then on.
  // `outcome` is set there when the load ends; `answer` reads it and `response` afterwards, off the loop, which uses them no more. `window` has a
  // lock; the rest is immutable.

  /// Whether the app's task waits on the event loop (`URLSession.taskExecutor`): resuming it there wakes no thread.
  private let isAwaitedOnLoop: Bool
  /// Changes when a data task becomes a download, on the event loop.
  @exclusivity(unchecked) var task: URLSessionTask
  let session: URLSession
  let context: LoadContext
  let chain: DelegateChain
  let delivery: TaskDelivery
  let pump: DelegatePump
  /// The upload that the load is, where it can be resumed.
  let upload: ResumableUpload?
  let window = DeliveryWindow()
  @exclusivity(unchecked) var response: URLResponse?
  /// What a download is and tells; nil for what isn't one.
  @exclusivity(unchecked) var file: DownloadDelivery?

  /// Whether it is a stream task that has given its connection away.
  var capture = Capture.none
  /// What the awaiting caller is answered with; set once, on the event loop, before the caller is resumed elsewhere.
  @exclusivity(unchecked) private var outcome: Result<CollectedBody?, any Error>?

  enum Capture {
    case none
    /// The streams are the task's last message.
    case pending(CapturedConnection)
    /// The streams are the app's; the load serves them, and has nothing more to say.
    case told
  }

  init(
    task: URLSessionTask, session: URLSession, context: LoadContext, chain: DelegateChain, delivery: TaskDelivery, download: Download?,
    upload: ResumableUpload?
  ) {
    self.upload = upload
    self.task = task
    self.session = session
    self.context = context
    self.chain = chain
    self.delivery = delivery
    isAwaitedOnLoop = if case .continuation = delivery { context.eventLoop.inEventLoop } else { false }
    pump =
      task.deliveryPump
      ?? (session.pump.isSerial
        ? session.pump
        : (task as? URLSessionWebSocketTask)?.pump ?? (task as? URLSessionStreamTask)?.pump
          ?? DelegatePump(session.pump.queue, of: context.executor))
    file = download.map { DownloadDelivery($0, of: self) }
  }

  var collectsBody: Bool { delivery.collects }

  /// Every call of the engine's is made on the load's event loop.
  func assertConfined() { assert(context.eventLoop.inEventLoop) }

  // MARK: capabilities

  var redirects: (any RedirectAnswering)? { self }
  var challenges: (any ChallengeAnswering)? { self }
  var bodies: (any BodySupplying)? { self }
  var cachingReview: (any CachingReviewing)? { task is URLSessionDataTask && chain.mayImplement(.willCacheResponse) ? self : nil }
  var cookieStorage: (any CookieStoring)? { self }
  var customProtocols: (any CustomProtocolProviding)? { session.protocols.mayApply ? self : nil }
  var downloading: (any Downloading)? { file }
  var parts: (any PartReceiving)? { separatesParts ? self : nil }

  // MARK: on the way

  func requestChanged(_ request: LoadRequest) {
    assertConfined()
    task.change { $0.currentRequest = request }
  }

  func didReceive(informational response: LoadResponse) {
    assertConfined()
    guard chain.mayImplement(.didReceiveInformationalResponse), let http = URLResponse.make(response) as? HTTPURLResponse else { return }
    let (chain, session, task) = (chain, session, task)
    pump.post { chain.didReceiveInformationalResponse(session, task, http) }
  }

  func isWaitingForConnectivity() {
    assertConfined()
    context.observer?.waitsForConnectivity()
    guard chain.mayImplement(.taskIsWaitingForConnectivity), session.configuration.identifier == nil else { return }
    let (chain, session, task) = (chain, session, task)
    pump.post { _ = chain.taskIsWaitingForConnectivity(session, task) }
  }

  // MARK: the end

  func didFinish(_ result: LoadResult) {
    assertConfined()
    guard let download = file?.download, let error = result.error else { return end(result, resumeData: nil) }
    let isWanted = task.fields.withLock { !$0.resumeDataHandlers.isEmpty }
    download.stop(after: error, isWanted: isWanted, context) { [self] point in
      let data = point.flatMap { point in task.originalRequest.flatMap { ResumeData(point, request: $0).data } }
      session.engine.onLoop { [self] in end(result, resumeData: data) }
    }
  }

  /// - Parameter resumeData: How to go on; it goes into the error, and to those who have asked for it.
  private func end(_ result: LoadResult, resumeData: Data?) {
    result.context.observer?.finished(result.context.record, result.error)
    let failingURL = result.context.record.request.url
    let resumeData = resumeData ?? (result.error == nil ? nil : upload?.resumeData)
    let resumption = resumeData.flatMap { data in task.resumeDataKey.map { ($0, data) } }
    let error = result.error.map { $0.urlError(failingURL: failingURL, resumption: resumption) }
    let metrics = chain.mayImplement(.didFinishCollectingMetrics) ? TaskMetricsFold.metrics(since: task.creation, result) : nil
    let trailers = error == nil ? result.context.record.trailers : nil
    var waiting: [@Sendable (Data?) -> Void] = []
    task.count { waiting = $0.complete(error, trailers) }
    // Later callers find the task completed.
    for handler in waiting { pump.post { handler(resumeData) } }
    if pump === session.pump {
      let wasLast = session.registry.remove(task)
      complete(result, error, metrics)
      if wasLast { session.becomeInvalid() }
    } else {
      complete(result, error, metrics)
      // On a concurrent queue tasks overtake each other: this one leaves after its last call, so that the session's own last call is last.
      pump.post { [session, task] in
        if session.registry.remove(task) { session.becomeInvalid() }
      }
    }
  }

  private func complete(_ result: LoadResult, _ error: (any Error)?, _ metrics: URLSessionTaskMetrics?) {
    let (chain, session, task, response) = (chain, session, task, response)
    switch delivery {
    case .delegate:
      if error == nil { file?.postFile() }
      if case .told = capture { return }
      let capture = capture
      post(metrics)
      pump.post {
        // As Apple documents, a task that has given its streams away says nothing after that.
        if case .none = capture { chain.didComplete(session, task, error) }
      }
      if case .pending(let connection) = capture { postStreams(connection) }
    case .completion(let handler):
      let data = error == nil ? result.body?.data() ?? Data() : nil
      post(metrics)
      pump.post { handler(data, response, error) }
    case .continuation:
      outcome = error.map { .failure($0) } ?? .success(result.body)
      guard let metrics else {
        // Of one reference, a closure needs no memory of its own.
        return isAwaitedOnLoop ? answer() : context.executor.runOffLoop { self.answer() }
      }
      pump.post {
        chain.didFinishCollecting(session, task, metrics)
        self.answer()
      }
    case .awaited: break
    case .file, .fileContinuation: completeFile(error, metrics)
    case .bytes(let chunks):
      guard let metrics else { return chunks.finish(error) }
      pump.post {
        chain.didFinishCollecting(session, task, metrics)
        chunks.finish(error)
      }
    }
  }

  /// A call of its own: what the app puts on the queue when it is told of the metrics comes before the completion.
  func post(_ metrics: URLSessionTaskMetrics?) {
    guard let metrics else { return }
    let (chain, session, task) = (chain, session, task)
    pump.post { chain.didFinishCollecting(session, task, metrics) }
  }

  /// Resumes the awaiting caller.
  private func answer() {
    guard case .continuation(let continuation) = delivery, let outcome = outcome.take() else { return }
    switch (outcome, response) {
    case (.failure(let error), _): continuation.resume(throwing: error)
    case (.success, nil): continuation.resume(throwing: URLError(.unknown))
    case (.success(let body), let response?): continuation.resume(returning: (body?.data() ?? Data(), response))
    }
  }
}
