import Foundation
import LoadingModel

/// The load of one request, as apps made it before there was `URLSession`. Deprecated by Apple; new code uses a session.
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

  /// A connection for `request`. Never nil here.
  ///
  /// - Parameters:
  ///   - delegate: An `NSURLConnectionDataDelegate` or `NSURLConnectionDownloadDelegate`; nil, or any other object, is told nothing.
  ///   - startImmediately: Whether it starts now, in the current run loop. If not, `start()` does it.
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

  /// The request as it was given.
  open var originalRequest: URLRequest { original }

  /// The request in effect: that of the last redirect, also after the end.
  open var currentRequest: URLRequest { life.withLock { $0.request } ?? original }

  /// Starts the load, if it hasn't been started.
  open func start() { begin() }

  /// Ends the load. No message follows, if the call comes from where the delegate is called.
  open func cancel() {
    let past = life.withLock { life in
      defer { life = .ended(life.request) }
      return life
    }
    // Outside of the lock: the delegate may be released here.
    place.release()
    past.task?.cancel()
  }

  /// Calls the delegate on `aRunLoop` too, while it runs in `mode`.
  open func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { place.schedule(aRunLoop, mode) }

  /// Calls the delegate on `aRunLoop` no more while it runs in `mode`. A connection that is scheduled nowhere waits.
  open func unschedule(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { place.unschedule(aRunLoop, mode) }

  /// Calls the delegate on `queue`, and on no run loop any more.
  /// - Parameter queue: nil for none: the connection then waits for a run loop.
  open func setDelegateQueue(_ queue: OperationQueue?) { place.set(queue) }

  /// Whether a connection can load `request`: by its scheme, or by a class that is registered with `URLProtocol`.
  open class func canHandle(_ request: URLRequest) -> Bool {
    if let scheme = request.url?.scheme?.lowercased(), ConnectionSessions.schemes.contains(scheme) { return true }
    return RegisteredProtocols.shared.inOrder.contains { $0.canInit(with: request) }
  }

  /// Loads `request` while the calling thread waits. The load needs nothing of that thread; it doesn't belong on the main thread of an app.
  ///
  /// An HTTP status of 400 and above is no error.
  /// - Parameter response: Receives the response, if there is one; also where the load fails.
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

  /// Loads `request`, as with a completion handler. Cancelling the Swift task doesn't end the load.
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

  // MARK: the load

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

  /// Whether messages are still wanted.
  var isActive: Bool { life.withLock { $0.isActive } }

  /// The last message is about to be sent. False if the connection was cancelled.
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
