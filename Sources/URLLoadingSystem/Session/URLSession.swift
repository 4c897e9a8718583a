import Foundation
import LoadingEngine
import LoadingModel

/// A group of related loads that share a configuration, connections and a delegate, as Apple documents.
///
/// Thread-safe. The session keeps its delegate until it is invalidated; `delegateQueue` is where all callbacks run.
open class URLSession: NSObject, @unchecked Sendable {
  // @unchecked: everything stored is immutable or behind a mutex; subclasses answer for what they add.

  let engine: LoadSession
  let registry = TaskRegistry()
  let pump: DelegatePump
  let protocols: ProtocolClasses
  /// Runs the tasks of a background session in the daemon; nil for other sessions.
  let background: (any SessionCarrier)?
  let observation: any SessionObserver
  private let storedConfiguration: URLSessionConfiguration
  let isShared: Bool
  let changing: Mutex<Changing>
  /// Identifies the session in `SessionRoll`, the list of the process's sessions.
  let mark = SessionMark()

  /// The process's session with default settings and no delegate. Invalidating it has no effect.
  open class var shared: URLSession { sharedSession }

  private static let sharedSession = URLSession(sharedWith: .default)

  /// A session without a delegate.
  public convenience init(configuration: URLSessionConfiguration) {
    self.init(Parts(configuration, nil, nil, isShared: false))
  }

  /// A session with a delegate, kept until the session is invalidated.
  /// - Parameter queue: Where callbacks run; it should be serial. nil makes the session create a serial queue.
  public convenience init(configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?, delegateQueue queue: OperationQueue?)
  {
    self.init(Parts(configuration, delegate, queue, isShared: false))
  }

  /// A session with the default configuration. As on Apple's platforms it is the initialiser of classes that stand in for sessions in tests:
  /// they override it, or call it from initialisers of theirs. The compiler adds that call, as long as no other designated initialiser is public.
  @available(*, deprecated, message: "Use URLSession(configuration:) or URLSession.shared.")
  public override init() {
    let parts = Parts(.default, nil, nil, isShared: false)
    (engine, pump, protocols, background, observation) = (parts.engine, parts.pump, parts.protocols, parts.background, parts.observation)
    (storedConfiguration, isShared) = (parts.configuration, false)
    changing = Mutex(Changing(parts.messages))
    super.init()
    begin()
  }

  /// A session that can't be invalidated, and whose loads are offered to the classes registered with `URLProtocol`.
  convenience init(sharedWith configuration: URLSessionConfiguration) {
    self.init(Parts(configuration, nil, nil, isShared: true))
  }

  private init(_ parts: Parts) {
    (engine, pump, protocols, background, observation) = (parts.engine, parts.pump, parts.protocols, parts.background, parts.observation)
    (storedConfiguration, isShared) = (parts.configuration, parts.isShared)
    changing = Mutex(Changing(parts.messages))
    super.init()
    begin()
  }

  private func begin() {
    SessionRoll.add(self)
    background?.begin(for: self)
  }

  deinit {
    SessionRoll.remove(mark)
    let engine = engine
    engine.onLoop { engine.end() }
    background?.end()
  }

  /// The queue on which delegate methods and completion handlers run: each as an operation of its own, or in a way that can't be told from that.
  ///
  /// What is put on the queue in a callback runs before the callbacks that come after it.
  open var delegateQueue: OperationQueue { pump.queue }

  /// The delegate; nil once the session has been invalidated.
  open var delegate: (any URLSessionDelegate)? { messages?.delegate }

  var messages: DelegateMessages? { changing.withLock { $0.messages } }

  /// The delegate chain of tasks that have no delegate of their own: the session's delegate alone.
  var sessionChain: DelegateChain { changing.withLock { $0.chain } }

  /// A copy of the settings the session was made with.
  open var configuration: URLSessionConfiguration { storedConfiguration.snapshot() }

  /// The session's own configuration object, uncopied: for reading inside the library, never to be changed.
  var settings: URLSessionConfiguration { storedConfiguration }

  /// A label for the app's own use. Default: nil.
  open var sessionDescription: String? {
    get { changing.withLock { $0.sessionDescription } }
    set { change { $0.sessionDescription = newValue } }
  }

  /// The same session: sessions are not copied.
  open override func copy() -> Any { self }

  // MARK: Life cycle

  /// Takes no new tasks; when the last one has ended, tells the delegate and releases it. Returns at once.
  open func finishTasksAndInvalidate() {
    guard !isShared else { return }
    if let background { return finish(background, cancelling: false) }
    if registry.finish() { becomeInvalid() }
  }

  /// Takes no new tasks and cancels all tasks; when the last one has ended, tells the delegate and releases it. Returns at once.
  open func invalidateAndCancel() {
    guard !isShared else { return }
    if let background { return finish(background, cancelling: true) }
    let isOver = registry.finish()
    for task in registry.all { task.cancel() }
    if isOver { becomeInvalid() }
  }

  /// Empties the session's cookie, cache and credential storages and forgets HSTS hosts and what Alt-Svc has said, on disk as well, then
  /// flushes.
  /// - Parameter completionHandler: Runs on the delegate queue.
  @preconcurrency
  open func reset(completionHandler: @escaping @Sendable () -> Void) {
    storedConfiguration.httpCookieStorage?.removeCookies(since: .distantPast)
    storedConfiguration.urlCache?.removeAllCachedResponses()
    storedConfiguration.urlCredentialStorage?.removeAll()
    storedConfiguration.hstsStore?.removeAll()
    let engine = engine
    engine.alternatives.said.removeAll()
    engine.afterStep { engine.authentications.removeAll() }
    let (cache, hosts) = (storedConfiguration.urlCache, storedConfiguration.hstsStore)
    Task { [self] in
      await cache?.flush()
      await hosts?.flush()
      await engine.alternatives.said.flush()
      flush(completionHandler: completionHandler)
    }
  }

  /// Empties the session's cookie, cache and credential storages and forgets HSTS hosts and what Alt-Svc has said, on disk as well, then flushes.
  open func reset() async {
    await withCheckedContinuation { done in reset { done.resume() } }
  }

  /// Closes idle connections and forgets TLS tickets, so that later loads use new connections; waits until cookies are on disk.
  /// - Parameter completionHandler: Runs on the delegate queue.
  @preconcurrency
  open func flush(completionHandler: @escaping @Sendable () -> Void) {
    let (engine, pump, cookies) = (engine, pump, storedConfiguration.httpCookieStorage?.store)
    engine.afterStep {
      engine.pool.closeIdle()
      // `execute` puts this behind the loads that were submitted to the event loop earlier, so that they start first.
      engine.executor.eventLoop.execute {
        guard let cookies else { return pump.post(completionHandler) }
        cookies.flush { pump.post(completionHandler) }
      }
    }
  }

  /// Closes idle connections and forgets TLS tickets, so that later loads use new connections; waits until cookies are on disk.
  open func flush() async {
    await withCheckedContinuation { done in flush { done.resume() } }
  }

  /// Hands over the tasks that haven't completed and weren't cancelled, by kind.
  /// - Parameter completionHandler: Runs on the delegate queue.
  @preconcurrency
  open func getTasksWithCompletionHandler(
    _ completionHandler: @escaping @Sendable ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) -> Void
  ) {
    postWithTasks { [self] in
      let (data, upload, download) = tasksByKind
      completionHandler(data, upload, download)
    }
  }

  /// The data, upload and download tasks that haven't completed and weren't cancelled.
  open var tasks: ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
    get async { await attached().tasksByKind }
  }

  /// Hands over all tasks that haven't completed and weren't cancelled.
  /// - Parameter completionHandler: Runs on the delegate queue.
  @preconcurrency
  open func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
    postWithTasks { [self] in completionHandler(registry.active) }
  }

  /// All tasks that haven't completed and weren't cancelled.
  open var allTasks: [URLSessionTask] {
    get async { await attached().registry.active }
  }

  // MARK: Data tasks

  /// A task that loads `request` and reports to the delegate. It starts with `resume()`.
  open func dataTask(with request: URLRequest) -> URLSessionDataTask {
    makeDataTask(request.load, .delegate)
  }

  /// A task that loads `url` with GET and reports to the delegate. It starts with `resume()`.
  open func dataTask(with url: URL) -> URLSessionDataTask {
    makeDataTask(LoadRequest(url: url), .delegate)
  }

  /// A task that loads `request` and calls `completionHandler` once, on the delegate queue.
  ///
  /// On success the data is there, even if empty, and the error nil; on failure the data is nil. An HTTP status of 400 and above is no
  /// failure.
  @preconcurrency
  open func dataTask(
    with request: URLRequest, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDataTask {
    makeDataTask(request.load, .completion(completionHandler))
  }

  /// A task that loads `url` with GET and calls `completionHandler` once, on the delegate queue.
  @preconcurrency
  open func dataTask(
    with url: URL, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDataTask {
    makeDataTask(LoadRequest(url: url), .completion(completionHandler))
  }

  // MARK: Upload tasks

  /// A task that sends `bodyData` as the body of `request` and reports to the delegate. It starts with `resume()`.
  ///
  /// The request's own body is ignored, and its method isn't changed: set POST or PUT. A GET fails with `dataLengthExceedsMaximum`.
  open func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
    makeUploadTask(request.load, .data(bodyData), .delegate)
  }

  /// A task that sends a file as the body of `request` and reports to the delegate. It starts with `resume()`.
  ///
  /// The file is read while it is sent and must stay as it is meanwhile: a file that changes ends the task with an error. The request's
  /// own body is ignored, and its method isn't changed.
  open func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
    makeUploadTask(request.load, .file(fileURL), .delegate)
  }

  /// A task that sends a stream, which the delegate supplies in `urlSession(_:task:needNewBodyStream:)`. It starts with `resume()`.
  ///
  /// Without such a delegate the task fails with `requestBodyStreamExhausted`. The body is sent in chunks unless the request has a
  /// `Content-Length`, which must be true.
  open func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
    makeUploadTask(request.load, .suppliedStream(), .delegate)
  }

  /// A task that sends `bodyData` and calls `completionHandler` once, on the delegate queue.
  /// - Parameter bodyData: nil for no body.
  @preconcurrency
  open func uploadTask(
    with request: URLRequest, from bodyData: Data?, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionUploadTask {
    makeUploadTask(request.load, bodyData.map { .data($0) } ?? .none, .completion(completionHandler))
  }

  /// A task that sends a file and calls `completionHandler` once, on the delegate queue.
  @preconcurrency
  open func uploadTask(
    with request: URLRequest, fromFile fileURL: URL, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionUploadTask {
    makeUploadTask(request.load, .file(fileURL), .completion(completionHandler))
  }

  /// A task that resumes an upload that was interrupted, and reports to the delegate. It starts with `resume()`.
  ///
  /// The file must be where it was and as it was. Data that no upload task has handed out makes the task fail.
  /// - Parameter resumeData: From `URLSessionUploadTask.cancel(byProducingResumeData:)` or from an error's
  ///   `NSURLSessionUploadTaskResumeData`.
  open func uploadTask(withResumeData resumeData: Data) -> URLSessionUploadTask {
    makeUploadTask(resuming: resumeData, .delegate)
  }

  /// As `uploadTask(withResumeData:)`, with a handler that is called once, on the delegate queue.
  @preconcurrency
  open func uploadTask(
    withResumeData resumeData: Data, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionUploadTask {
    makeUploadTask(resuming: resumeData, .completion(completionHandler))
  }

  // MARK: Download tasks

  /// A task that loads `request` into a file and reports to the delegate. It starts with `resume()`.
  open func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
    makeDownloadTask(request.load, .delegate)
  }

  /// A task that loads `url` with GET into a file and reports to the delegate. It starts with `resume()`.
  open func downloadTask(with url: URL) -> URLSessionDownloadTask {
    makeDownloadTask(LoadRequest(url: url), .delegate)
  }

  /// A task that resumes an earlier download and reports to the delegate: `didResumeAtOffset` says from where, 0 if it starts over because
  /// the resource has changed or what had arrived was removed.
  ///
  /// - Parameter resumeData: From `cancel(byProducingResumeData:)` or an error's `downloadTaskResumeData`. The task fails with
  ///   `URLError.unsupportedURL` if it is anything else.
  open func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
    makeDownloadTask(resumeData, .delegate)
  }

  /// A task that loads `request` into a file and calls `completionHandler` once, on the delegate queue.
  ///
  /// The file is removed when the handler returns: move it there. An HTTP status of 400 and above is no failure: what the server sent with
  /// it is in the file.
  @preconcurrency
  open func downloadTask(
    with request: URLRequest, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDownloadTask {
    makeDownloadTask(request.load, .file(completionHandler))
  }

  /// A task that loads `url` with GET into a file and calls `completionHandler` once, on the delegate queue; the file is removed when it
  /// returns.
  @preconcurrency
  open func downloadTask(
    with url: URL, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDownloadTask {
    makeDownloadTask(LoadRequest(url: url), .file(completionHandler))
  }

  /// A task that resumes an earlier download and calls `completionHandler` once, on the delegate queue; the file is removed when it
  /// returns.
  @preconcurrency
  open func downloadTask(
    withResumeData resumeData: Data, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDownloadTask {
    makeDownloadTask(resumeData, .file(completionHandler))
  }

  // MARK: Stream tasks

  /// A task that connects to a port of a host and reads and writes there, in the clear until `startSecureConnection()`. It starts with
  /// `resume()`.
  ///
  /// - Parameters:
  ///   - hostname: A name, or an address of IPv4 or IPv6.
  ///   - port: 1 to 65535. With any other, and with a name that can't be one, the task fails with `URLError.badURL`.
  open func streamTask(withHostName hostname: String, port: Int) -> URLSessionStreamTask {
    makeStreamTask(hostname, port)
  }

  // MARK: WebSocket tasks

  /// A task that opens a WebSocket at `url`, whose scheme is `wss` or `ws`. It starts with `resume()`.
  ///
  /// With any other scheme the task fails with `URLError.unsupportedURL`; Apple raises an exception.
  open func webSocketTask(with url: URL) -> URLSessionWebSocketTask {
    makeWebSocketTask(LoadRequest(url: url))
  }

  /// A task that opens a WebSocket at `url`. It starts with `resume()`.
  /// - Parameter protocols: Subprotocols, the preferred one first; `didOpenWithProtocol` says which the server chose.
  open func webSocketTask(with url: URL, protocols: [String]) -> URLSessionWebSocketTask {
    makeWebSocketTask(LoadRequest(url: url), protocols: protocols)
  }

  /// A task that opens a WebSocket with the header fields of `request`, which may be spelled with `https` or `http` as well. It starts
  /// with `resume()`.
  ///
  /// Subprotocols are the request's `Sec-WebSocket-Protocol`. Method and body are ignored.
  open func webSocketTask(with request: URLRequest) -> URLSessionWebSocketTask {
    makeWebSocketTask(request.load)
  }
}
