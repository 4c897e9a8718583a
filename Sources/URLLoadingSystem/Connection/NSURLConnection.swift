import Foundation
import LoadingModel

/// The load of one request in the API that preceded `URLSession`. Deprecated by Apple; new code uses a session.
///
/// Thread-safe. A connection loads as the tasks of `URLSession.shared` do: with the shared cookies, cache and credentials, and with the
/// classes that are registered with `URLProtocol`. It keeps its delegate, and stays alive itself, until it has ended or was cancelled.
///
/// The delegate is called on the run loops in which the connection is scheduled, or on its delegate queue. A connection that was scheduled
/// nowhere when it starts is scheduled in the current run loop, in the default mode.
open class NSURLConnection: NSObject, @unchecked Sendable {
  // @unchecked: everything stored is immutable or behind a mutex; subclasses answer for what they add.

  private let original: URLRequest
  private let life: Mutex<ConnectionLife>
  private let place = DeliveryPlace()

  /// Makes a connection for `request`. Never nil here.
  ///
  /// - Parameters:
  ///   - delegate: An `NSURLConnectionDataDelegate` or `NSURLConnectionDownloadDelegate`; nil or any other object gets no messages.
  ///   - startImmediately: Whether it starts now, in the current run loop; otherwise `start()` starts it.
  @available(*, deprecated, message: "Use NSURLSession (see NSURLSession.h)")
  public init?(request: URLRequest, delegate: Any?, startImmediately: Bool) {
    original = request
    life = Mutex(.idle(ConnectionReceivers(delegate)))
    super.init()
    if startImmediately { begin() }
  }

  /// A connection for `request`, which starts now, in the current run loop. Never nil here.
  @available(*, deprecated, message: "Use NSURLSession (see NSURLSession.h)")
  public init?(request: URLRequest, delegate: Any?) {
    original = request
    life = Mutex(.idle(ConnectionReceivers(delegate)))
    super.init()
    begin()
  }

  /// The request with which the connection was made.
  open var originalRequest: URLRequest { original }

  /// The request in effect: the one of the last redirect, also after the connection has ended.
  open var currentRequest: URLRequest { life.withLock { $0.request } ?? original }

  /// Starts the load, if it hasn't been started.
  open func start() { begin() }

  /// Cancels the load. Called where the delegate is called, no further message follows; on another thread, one may still be on its way.
  open func cancel() {
    let past = life.withLock { life in
      defer { life = .ended(life.request) }
      return life
    }
    // Outside the lock, since the delegate may be deallocated here, which runs the app's code.
    place.release()
    past.task?.cancel()
  }

  /// Calls the delegate on `aRunLoop` too, while it runs in `mode`.
  open func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { place.schedule(aRunLoop, mode) }

  /// Stops calling the delegate on `aRunLoop` in `mode`. Messages of a connection that is scheduled nowhere wait.
  open func unschedule(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { place.unschedule(aRunLoop, mode) }

  /// Calls the delegate on `queue`, and no longer on run loops.
  /// - Parameter queue: The queue; nil for none: messages then wait until the connection is scheduled in a run loop.
  open func setDelegateQueue(_ queue: OperationQueue?) { place.set(queue) }

  /// Whether a connection can load `request`: by its scheme, or by a class that is registered with `URLProtocol`.
  open class func canHandle(_ request: URLRequest) -> Bool {
    if let scheme = request.url?.scheme?.lowercased(), ConnectionSessions.schemes.contains(scheme) { return true }
    return RegisteredProtocols.shared.inOrder.contains { $0.canInit(with: request) }
  }

  /// Loads `request` and blocks the calling thread until it is complete. The load doesn't need that thread's run loop; an app shouldn't call it on
  /// its main thread.
  ///
  /// An HTTP status of 400 and above is no error.
  /// - Parameter response: Receives the response, also if the load fails after it; nil if there is none.
  /// - Throws: `URLError`.
  @available(
    *, deprecated, message: "Use [NSURLSession dataTaskWithRequest:completionHandler:] (see NSURLSession.h)"
  )
  open class func sendSynchronousRequest(
    _ request: URLRequest, returning response: AutoreleasingUnsafeMutablePointer<URLResponse?>?
  ) throws -> Data {
    let reply = PendingReply()
    ConnectionSessions.load(request, on: nil, reply.deliver)
    let (data, received, error) = reply.wait()
    response?.pointee = received
    if let error { throw error }
    return data ?? Data()
  }

  /// Loads `request` and calls `handler` once, as an operation on `queue`. An HTTP status of 400 and above is no error.
  @available(
    *, deprecated, message: "Use [NSURLSession dataTaskWithRequest:completionHandler:] (see NSURLSession.h)"
  )
  @preconcurrency
  open class func sendAsynchronousRequest(
    _ request: URLRequest, queue: OperationQueue, completionHandler handler: @escaping @Sendable (URLResponse?, Data?, (any Error)?) -> Void
  ) {
    ConnectionSessions.load(request, on: queue) { data, response, error in handler(response, data, error) }
  }

  /// The `async` form of `sendAsynchronousRequest(_:queue:completionHandler:)`. Cancelling the Swift task doesn't end the load.
  /// - Throws: `URLError`.
  @available(
    *, deprecated, message: "Use [NSURLSession dataTaskWithRequest:completionHandler:] (see NSURLSession.h)"
  )
  open class func sendAsynchronousRequest(_ request: URLRequest, queue: OperationQueue) async throws -> (URLResponse, Data) {
    try await withCheckedThrowingContinuation { continuation in
      ConnectionSessions.load(request, on: queue) { data, response, error in
        guard let response, let data else { return continuation.resume(throwing: error ?? URLError(.badServerResponse)) }
        continuation.resume(returning: (response, data))
      }
    }
  }

  // MARK: The load

  private func begin() {
    let receivers = life.withLock { life -> ConnectionReceivers? in
      guard case .idle(let receivers) = life else { return nil }
      life = .starting
      return receivers
    }
    guard let receivers else { return }
    if !place.isSet { place.schedule(.current, .default) }
    let pump = DelegatePump(place.queue)
    let delegate = ConnectionDelegate(self, receivers, original)
    pump.post { [self, original] in
      guard life.withLock({ $0.isStarting }) else { return }
      let usesStorage = receivers.general?.connectionShouldUseCredentialStorage(self) ?? true
      guard let request = delegate.firstRequest(original) else { return delegate.fail(URLError(.cancelled)) }
      let session = usesStorage ? ConnectionSessions.standard : ConnectionSessions.withoutCredentials
      run(session.makeConnectionTask(request.load, pump, delegate, isDownload: receivers.download != nil))
    }
  }

  private func run(_ task: URLSessionTask) {
    let isWanted = life.withLock { life in
      guard case .starting = life else { return false }
      life = .loading(task)
      return true
    }
    if !isWanted { task.cancel() }
    task.resume()
  }

  /// Whether the connection is starting or loading, so that the delegate gets messages.
  var isActive: Bool { life.withLock { $0.isActive } }

  /// Marks the connection as ended, before its last message. Returns false if it was cancelled, so that no message is sent.
  func end() -> Bool {
    let past = life.withLock { life in
      defer { if life.isActive { life = .ended(life.request) } }
      return life
    }
    guard past.isActive else { return false }
    place.release()
    return true
  }
}
