import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel

extension URLSessionTask {
  /// What a call such as `resume()` or `cancel()` has still to do after it has changed the task's state and released its lock.
  enum Step: Sendable {
    case none
    case start
    case showSuspension(LoadContext)
    case interrupt(LoadContext)
    case showToDaemon
  }

  func perform(_ step: Step) {
    switch step {
    case .none: break
    case .start: start()
    case .showSuspension(let context): showSuspension(context)
    case .interrupt(let context): session?.engine.interrupt(context, .cancelled())
    case .showToDaemon: session?.background?.handOver(self)
    }
  }

  /// Starts the load for an async caller, whose continuation gets the data and the response.
  func begin(returningTo continuation: UnsafeContinuation<(Data, URLResponse), any Error>) {
    begin(.continuation(continuation))
  }

  /// Starts the load for an async caller, who waits as `delivery` says. Like `resume()` it undoes one suspension: a task that its app has also
  /// suspended begins when the app resumes it.
  func begin(_ delivery: TaskDelivery) {
    perform(
      change { fields -> Step in
        fields.delivery = delivery
        if fields.suspensions > 0 { fields.suspensions -= 1 }
        if fields.state == .suspended {
          guard fields.suspensions == 0 else { return .none }
          fields.state = .running
        }
        fields.lifecycle = .starting
        return .start
      })
  }

  /// Has the engine read the task's state on the event loop, rather than passing it: calls of threads that suspend and resume may arrive in any
  /// order.
  func showSuspension(_ context: LoadContext) {
    guard let engine = session?.engine else { return }
    engine.afterStep { [self] in
      // A data task that became a download or a stream is completed, and its load belongs to the new task.
      let state = state
      if state != .completed { engine.setSuspended(context, state == .suspended) }
    }
  }

  /// Has the engine read the task's priority on the event loop, as `showSuspension` does the state.
  func showPriority(_ context: LoadContext) {
    session?.engine.afterStep { [self] in context.setPriority(priority) }
  }

  /// Marks the task as made after the session was invalidated: it ends with an error as soon as it is started.
  func refuse() {
    fields.withLock {
      $0.refusal = LoadError(
        .cancelled, .admission, "the session has been invalidated; make tasks before that, or make a new session")
    }
  }

  /// The delegates of a task that was made after the session's invalidation and can only fail. The session waits for the task's end, so its delegate
  /// learns of the failure; if the session has already told its delegate that it is invalid, only the task's own delegate is left.
  private func lateChain(_ session: URLSession, _ chain: DelegateChain) -> DelegateChain {
    guard !session.registry.addLate(self) else { return chain }
    return fields.withLock { fields in
      fields.chain = DelegateChain(task: fields.delegate)
      return fields.chain
    }
  }

  private func start() {
    guard let session, let request = merged(session) else { return }
    let engine = session.engine
    let context = engine.makeContext(request)
    let (state, links, delivery, failure, priority, isIncremental) = change { fields in
      fields.lifecycle = .started(context)
      fields.currentRequest = request
      return (fields.state, fields.chain, fields.delivery, fields.refusal, fields.priority, fields.prefersIncrementalDelivery)
    }
    let chain = failure == nil ? links : lateChain(session, links)
    context.priority = LoadPriority(level: priority, isIncremental: isIncremental)
    if case .delegate = delivery { context.terms.use = connectionUse(request, chain) }
    context.recordsSentFields = chain.mayImplement(.didFinishCollectingMetrics)
    context.observer = session.observation.observe(self, context)
    let upload = (self as? URLSessionUploadTask)?.resumable(request, chain)
    if let upload, let journal = session.settings.transferJournal {
      upload.keep { [weak self] data in if let self { journal.keep(resumeData: data, of: self) } }
    }
    let client = TaskLoad(
      task: self, session: session, context: context, chain: chain, delivery: delivery, download: makeDownload(), upload: upload)
    if case .bytes(let chunks) = delivery { chunks.onCancel { [weak self] in self?.cancel() } }
    if let failure = failure ?? (state == .canceling ? .cancelled() : nil) {
      engine.interrupt(context, failure)
    } else if state == .suspended {
      showSuspension(context)
    }
    if let stream = self as? URLSessionStreamTask { stream.begin(context, client) }
    if let webSocket = self as? URLSessionWebSocketTask { webSocket.begin(context, client) }
    engine.start(request, Load(context, client, kind(upload)))
  }

  /// Which kind of load the engine runs for this task.
  private func kind(_ upload: ResumableUpload?) -> LoadKind {
    if let upload { return .upload(upload) }
    if let webSocket = (self as? URLSessionWebSocketTask)?.webSocket { return .webSocket(webSocket) }
    if let stream = (self as? URLSessionStreamTask)?.stream { return .stream(stream) }
    return .data
  }

  /// Whether the delegate may turn this load's connection into a stream task (`didBecome streamTask`), which decides how the connection is used.
  private func connectionUse(_ request: LoadRequest, _ chain: DelegateChain) -> ConnectionUse {
    guard chain.mayImplement(.didBecomeStreamTask), chain.mayImplement(.didReceiveResponse), self is URLSessionDataTask else {
      return .exchange
    }
    return request.headers.contains("Upgrade") ? .upgrade : .mayBeTaken
  }

  /// The request with the session's additional headers and cache policy.
  private func merged(_ session: URLSession) -> LoadRequest? {
    guard var request = fields.withLock({ $0.currentRequest }) else { return nil }
    guard !session.engine.settings.additionalHeaders.isEmpty else { return request }
    let headers = session.engine.headerDefaults.merged(under: request.headers)
    request.mutate { $0.headers = headers }
    return request
  }
}
