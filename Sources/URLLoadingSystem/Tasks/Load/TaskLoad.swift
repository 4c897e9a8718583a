import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel
import NIOCore

/// One run of a task through the engine: receives the engine's reports, and delivers them as the task's `TaskDelivery` says.
///
/// Keeps the task and its session alive while it runs. Confined to the session's event loop, except for the closures it posts to the delegate queue.
final class TaskLoad: LoadClient, @unchecked Sendable {
  // @unchecked: `task`, `response`, `file` and `capture` are set before the load starts and confined to the session's event loop from then on.
  // `outcome` is set there when the load ends; the call that delivers it reads it, `task` and `response` afterwards, off the loop, which uses them no
  // more. A data task whose body is delivered stays the load's task, so that those calls may read it. `window` has a lock; the rest is immutable.

  /// Whether the awaiting Swift task runs on the session's event loop (`URLSession.taskExecutor`): then resuming it there wakes no other thread.
  private let isAwaitedOnLoop: Bool
  /// The task that the load is for: another one after a data task has become a download or a stream; changed on the event loop.
  @exclusivity(unchecked) var task: URLSessionTask
  let session: URLSession
  let context: LoadContext
  let chain: DelegateChain
  let delivery: TaskDelivery
  let pump: DelegatePump
  /// The state of a resumable upload; nil for other loads.
  let upload: ResumableUpload?
  let window = DeliveryWindow()
  @exclusivity(unchecked) var response: URLResponse?
  /// The download's file and progress; nil for other loads.
  @exclusivity(unchecked) var file: DownloadDelivery?

  /// Whether the app has taken the connection of this stream task as a pair of streams (`captureStreams()`).
  var capture = Capture.none
  /// The result for the app; set once, on the event loop, before the call that delivers it is made elsewhere.
  @exclusivity(unchecked) private var outcome: Result<CollectedBody?, any Error>?

  enum Capture {
    case none
    /// The streams will be delivered as the task's last message, when the load has ended.
    case pending(CapturedConnection)
    /// The streams have been delivered to the app: the load still serves them, and reports nothing more.
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

  /// The engine makes all its calls on the load's event loop; debug builds check it.
  func assertConfined() { assert(context.eventLoop.inEventLoop) }

  // MARK: Capabilities

  var redirects: (any RedirectAnswering)? { self }
  var challenges: (any ChallengeAnswering)? { self }
  var bodies: (any BodySupplying)? { self }
  var cachingReview: (any CachingReviewing)? { task is URLSessionDataTask && chain.mayImplement(.willCacheResponse) ? self : nil }
  var cookieStorage: (any CookieStoring)? { self }
  var customProtocols: (any CustomProtocolProviding)? { session.protocols.mayApply ? self : nil }
  var downloading: (any Downloading)? { file }
  var parts: (any PartReceiving)? { separatesParts ? self : nil }

  // MARK: Before the end

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

  // MARK: The end

  func didFinish(_ result: LoadResult) {
    assertConfined()
    guard let download = file?.download, let error = result.error else { return end(result, resumeData: nil) }
    let isWanted = task.fields.withLock { !$0.resumeDataHandlers.isEmpty }
    download.stop(after: error, isWanted: isWanted, context) { [self] point in
      let data = point.flatMap { point in task.originalRequest.flatMap { ResumeData(point, request: $0).data } }
      session.engine.onLoop { [self] in end(result, resumeData: data) }
    }
  }

  /// - Parameter resumeData: Resume data to put into the error and to pass to those who have asked for it; nil if there is none.
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
    // A call of `cancel(byProducingResumeData:)` after this finds the task completed, and gets nil.
    for handler in waiting { pump.post { handler(resumeData) } }
    if pump === session.pump {
      let wasLast = session.registry.remove(task)
      complete(result, error, metrics)
      if wasLast { session.becomeInvalid() }
    } else {
      complete(result, error, metrics)
      // On a concurrent queue the calls of tasks may overtake each other. This task leaves the registry after its last call, so that
      // `didBecomeInvalid` comes after it.
      pump.post { [session, task] in
        if session.registry.remove(task) { session.becomeInvalid() }
      }
    }
  }

  private func complete(_ result: LoadResult, _ error: (any Error)?, _ metrics: URLSessionTaskMetrics?) {
    let (chain, session, task) = (chain, session, task)
    outcome = error.map { .failure($0) } ?? .success(result.body)
    // A closure that captures a single reference is stored without an allocation.
    switch delivery {
    case .delegate:
      if error == nil { file?.postFile() }
      if case .told = capture { return }
      post(metrics)
      // As Apple documents, a task whose streams were captured sends no `didComplete`.
      if case .pending(let connection) = capture { return postStreams(connection) }
      pump.post { self.answer() }
    case .completion:
      post(metrics)
      pump.post { self.answer() }
    case .continuation:
      guard let metrics else { return isAwaitedOnLoop ? answer() : context.executor.runOffLoop { self.answer() } }
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

  /// Posted as a call of its own: blocks that the app adds to the queue while it is told of the metrics run before the completion.
  func post(_ metrics: URLSessionTaskMetrics?) {
    guard let metrics else { return }
    let (chain, session, task) = (chain, session, task)
    pump.post { chain.didFinishCollecting(session, task, metrics) }
  }

  /// Tells the delegate of the end, calls the completion handler or resumes the awaiting caller.
  private func answer() {
    guard let outcome = outcome.take() else { return }
    switch (delivery, outcome) {
    case (.delegate, .success): chain.didComplete(session, task, nil)
    case (.delegate, .failure(let error)): chain.didComplete(session, task, error)
    case (.completion(let handler), .success(let body)): handler(body?.data() ?? Data(), response, nil)
    case (.completion(let handler), .failure(let error)): handler(nil, response, error)
    case (.continuation(let continuation), .success(let body)):
      guard let response else { return continuation.resume(throwing: URLError(.unknown)) }
      continuation.resume(returning: (body?.data() ?? Data(), response))
    case (.continuation(let continuation), .failure(let error)): continuation.resume(throwing: error)
    case (.awaited, _), (.bytes, _), (.file, _), (.fileContinuation, _): break
    }
  }
}
