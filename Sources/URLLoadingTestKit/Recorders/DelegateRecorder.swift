#if TestKit
  import Foundation
  import NIOCore
  import NIOPosix
  import LoadingModel
  import URLLoadingSystem

  /// A session delegate that records its calls in order, and answers them as its initializer was told.
  ///
  /// Thread-safe. Wait for the end of a task with `completion(of:)`.
  public final class DelegateRecorder: NSObject, URLSessionDataDelegate {
    /// One call of the delegate, without its session and task.
    public enum Event: Sendable, Equatable, CustomStringConvertible {
      /// The task was created (`didCreateTask`).
      case created
      /// A redirect, with the response's status and the URL that it leads to.
      case redirect(status: Int, to: URL?)
      /// An informational response (status 1xx).
      case informational(status: Int)
      /// The response, with its status; nil if it isn't an HTTP response.
      case response(status: Int?)
      /// A piece of the response's body, with its length in bytes.
      case data(count: Int)
      /// Progress of the upload, with the number of body bytes that have been sent in total.
      case sent(total: Int64)
      /// The delegate was asked whether the response may be cached (`willCacheResponse`).
      case willCache
      /// The task's metrics, with the number of their transactions.
      case metrics(transactions: Int)
      /// The completion of the task, with the error's code; nil without an error.
      case completed(code: Int?)
      /// The session has become invalid.
      case invalid

      /// The name of the call and its main argument, as in "data 5".
      public var description: String {
        switch self {
        case .created: "created"
        case .redirect(let status, let url): "redirect \(status) to \(url?.absoluteString ?? "-")"
        case .informational(let status): "informational \(status)"
        case .response(let status): "response \(status.map(String.init) ?? "-")"
        case .data(let count): "data \(count)"
        case .sent(let total): "sent \(total)"
        case .willCache: "willCache"
        case .metrics(let transactions): "metrics \(transactions)"
        case .completed(let code): "completed \(code.map(String.init) ?? "ok")"
        case .invalid: "invalid"
        }
      }
    }

    /// How a task has ended. The task is not retained, and another one may get its identity once it is gone.
    private struct Completion {
      let task: Weak<URLSessionTask>
      let error: (any Error)?
    }

    private struct State {
      var events: [Event] = []
      var body = Data()
      var metrics: URLSessionTaskMetrics?
      var completions: [ObjectIdentifier: Completion] = [:]
      var completionWaiters: [ObjectIdentifier: [CheckedContinuation<(any Error)?, Never>]] = [:]
      var isInvalid = false
      var invalidWaiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let disposition: URLSession.ResponseDisposition
    private let redirect: @Sendable (URLRequest) -> URLRequest?
    private let dataGate: Gate?

    /// Creates a recorder with the answers that it gives.
    ///
    /// - Parameters:
    ///   - disposition: The answer to every response. Default: `.allow`.
    ///   - dataGate: Each piece of data waits at this gate, blocking the delegate queue; nil for no wait.
    ///   - redirect: Returns the request to follow a redirect with, or nil to refuse it. Default: follow.
    public init(
      disposition: URLSession.ResponseDisposition = .allow, dataGate: Gate? = nil,
      redirect: @escaping @Sendable (URLRequest) -> URLRequest? = { $0 }
    ) {
      self.disposition = disposition
      self.dataGate = dataGate
      self.redirect = redirect
    }

    /// The recorded calls so far, in order.
    public var events: [Event] { state.withLock { $0.events } }
    /// The bodies received so far, one piece after the other.
    public var body: Data { state.withLock { $0.body } }
    /// The metrics that were delivered last; nil before.
    public var metrics: URLSessionTaskMetrics? { state.withLock { $0.metrics } }
    /// The recorded calls without `data` and `sent`, whose number depends on the network.
    public var milestones: [Event] {
      events.filter {
        switch $0 {
        case .data, .sent: false
        default: true
        }
      }
    }

    /// Waits until the task has completed; returns its error, nil if it succeeded.
    public func completion(of task: URLSessionTask) async -> (any Error)? {
      await withCheckedContinuation { continuation in
        let known = state.withLock { state -> Completion? in
          if let known = state.completions[ObjectIdentifier(task)], known.task.object === task { return known }
          state.completionWaiters[ObjectIdentifier(task), default: []].append(continuation)
          return nil
        }
        if let known { continuation.resume(returning: known.error) }
      }
    }

    /// Waits until the session has become invalid.
    public func invalidation() async {
      await withCheckedContinuation { continuation in
        let isInvalid = state.withLock { state in
          if !state.isInvalid { state.invalidWaiters.append(continuation) }
          return state.isInvalid
        }
        if isInvalid { continuation.resume() }
      }
    }

    private func note(_ event: Event) { state.withLock { $0.events.append(event) } }

    // MARK: - URLSessionDelegate

    public func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
      let waiters = state.withLock { state in
        state.events.append(.invalid)
        state.isInvalid = true
        defer { state.invalidWaiters = [] }
        return state.invalidWaiters
      }
      for waiter in waiters { waiter.resume() }
    }

    public func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) { note(.created) }

    public func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
      completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      note(.redirect(status: response.statusCode, to: request.url))
      completionHandler(redirect(request))
    }

    public func urlSession(_ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse) {
      note(.informational(status: response.statusCode))
    }

    public func urlSession(
      _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
      totalBytesExpectedToSend: Int64
    ) {
      note(.sent(total: totalBytesSent))
    }

    public func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      note(.response(status: (response as? HTTPURLResponse)?.statusCode))
      completionHandler(disposition)
    }

    public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      state.withLock { state in
        state.events.append(.data(count: data.count))
        state.body.append(data)
      }
      guard let dataGate else { return }
      let opened = DispatchSemaphore(value: 0)
      let ticket = dataGate.arrive(on: NIOSingletons.posixEventLoopGroup.any()) { opened.signal() }
      if ticket != nil { opened.wait() }
    }

    public func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
      completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
      note(.willCache)
      completionHandler(proposedResponse)
    }

    public func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
      state.withLock { state in
        state.events.append(.metrics(transactions: metrics.transactionMetrics.count))
        state.metrics = metrics
      }
    }

    public func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      let waiters = state.withLock { state in
        state.events.append(.completed(code: (error as NSError?)?.code))
        state.completions[ObjectIdentifier(task)] = Completion(task: Weak(task), error: error)
        return state.completionWaiters.removeValue(forKey: ObjectIdentifier(task)) ?? []
      }
      for waiter in waiters { waiter.resume(returning: error) }
    }
  }
#endif
