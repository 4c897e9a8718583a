import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel
import NIOCore
import NIOFoundationCompat

/// One load by an app's `URLProtocol`: the client that the instance calls, and the body that the engine reads.
///
/// Client calls may come from any thread and are queued; the load takes them from the queue on its event loop. The queue isn't bounded: it only holds
/// data that the app already had in memory.
final class CustomProtocolClient: NSObject, URLProtocolClient, BodyReader, Interruptible, @unchecked Sendable {
  // @unchecked: `state` is a mutex; `instance` is used on `thread` alone, `storing`, `rest` and `questions` on the load's event loop alone. `request` is
  // changed on `thread` before the instance is made, and read by the load after what the instance has reported. The rest is immutable, of which
  // `context` is used on its event loop alone.
  enum Outcome {
    case response(URLResponse, URLCache.StoragePolicy)
    /// The instance has confirmed the cached response that it was shown, or one like it.
    case cached(URLResponse)
    case redirect(URLRequest, URLResponse)
    /// The instance has finished without a response; there may be data.
    case noResponse
  }

  private struct State {
    var reports = CustomProtocolReports()
    var isOver = false
    var reader: UnsafeContinuation<Void, Never>?
  }

  /// Bytes of data that are passed on as one piece.
  private static let largestPiece = 1 << 20

  let task: URLSessionTask
  private(set) var request: URLRequest
  private let context: LoadContext
  /// The load through which the delegates are asked; nil if it isn't a task's.
  private let load: TaskLoad?
  private let cache: CustomProtocolCache?
  /// The thread on which the instance lives; returned to `ProtocolThreads` by `stop`, which ends every load.
  private let thread = ProtocolThreads.shared.lease()
  private let state = Mutex(State())
  private var instance: URLProtocol?
  /// Collects the body for the cache; nil if the response isn't to be stored.
  private var storing: CustomProtocolStoring?
  /// The rest of a large piece of data, which is read in pieces.
  private var rest: DataReader?
  /// The challenges that wait for a delegate's answer: the request timeout stands still meanwhile.
  private var questions: Set<ObjectIdentifier> = []

  init(task: URLSessionTask, request: URLRequest, context: LoadContext, load: TaskLoad?) {
    self.load = load
    cache = load.flatMap { CustomProtocolCache($0) }
    self.task = task
    self.request = request
    self.context = context
    super.init()
  }

  func start(_ protocolClass: URLProtocol.Type) {
    let transferred = UncheckedClass(value: protocolClass)
    thread.post { [self] in
      request = transferred.value.canonicalRequest(for: request)
      switch cache?.find(request) ?? .known(nil) {
      case .known(let cached): begin(transferred, cached)
      case .mustAsk:
        cache?.ask { [self] cached in thread.post { [self] in begin(transferred, cached) } }
      }
    }
  }

  private func begin(_ protocolClass: UncheckedClass, _ cached: CachedURLResponse?) {
    // Ignored: the load has ended while the app's cache was asked, or the cache has called its completion handler twice.
    guard instance == nil, !state.withLock({ $0.isOver }) else { return }
    let instance = protocolClass.value.init(task: task, cachedResponse: cached, client: self)
    self.instance = instance
    instance.startLoading()
  }

  private struct UncheckedClass: @unchecked Sendable {
    // @unchecked: metatypes are immutable.
    let value: URLProtocol.Type
  }

  // MARK: The load's side

  func outcome() async throws(LoadError) -> Outcome {
    while true {
      switch await nextReport(behindData: true) {
      case .outcome(let outcome):
        if case .response(let response, let policy) = outcome, let cache {
          storing = CustomProtocolStoring(response, policy, limit: cache.largestBody)
        }
        return outcome
      // Data that was reported before the response belongs to its body, and stays in the queue.
      case .data: continue
      case .failed(let error): throw error
      case .finished: return .noResponse
      }
    }
  }

  func next() async throws(LoadError) -> ByteBuffer? {
    if let piece = try await rest?.next() { return piece }
    rest = nil
    while true {
      switch await nextReport(behindData: false) {
      case .data(let data):
        if data.isEmpty { continue }
        if storing?.append(data) == false { storing = nil }
        guard data.count > CustomProtocolClient.largestPiece else { return ByteBuffer(data: data) }
        // Copied piece by piece, because a `ByteBuffer` can't hold more than 4 GiB, and the event loop serves other loads as well.
        let reader = DataReader(data)
        rest = reader
        return try await reader.next()
      case .outcome(let outcome):
        // Data that follows several responses is the body of none, so nothing is stored.
        storing = nil
        if case .response(let response, _) = outcome { try await deliver(part: response) }
      case .finished:
        stop()
        if let storing = storing.take(), let cache { await storing.finish(cache, request) }
        return nil
      case .failed(let error): throw error
      }
    }
  }

  /// Delivers a second response, as the next part of a multipart/x-mixed-replace body, if the task separates parts. A class that forwards from a
  /// session of its own, which has taken such a body apart, reports these.
  private func deliver(part response: URLResponse) async throws(LoadError) {
    // If the first response wasn't delivered, the body is being discarded.
    guard let load, load.response != nil, load.separatesParts, let url = response.url ?? request.url else { return }
    if context.isSuspended { try await context.waitWhileSuspended() }
    try context.checkpoint()
    try await load.didReceive(part: CustomProtocolHandler.loaded(response, url))
  }

  func abandon() {
    rest = nil
    stop()
  }

  func interrupt(_ error: LoadError) {
    push(.failed(error))
    stop()
  }

  /// Ends the load and stops the instance because the rest of the body isn't needed.
  func interrupt() { interrupt(LoadError(.networkConnectionLost, .body, "the rest of the body wasn't waited for")) }

  func suspensionEnded() {}

  private func stop() {
    let mustStop = state.withLock { state in
      defer { state.isOver = true }
      return !state.isOver
    }
    guard mustStop else { return }
    for challenge in questions { endQuestion(challenge) }
    thread.post { [self] in
      instance?.stopLoading()
      instance = nil
      ProtocolThreads.shared.release(thread)
    }
  }

  /// - Parameter behindData: true for the first report that isn't data, with data before it staying; false for the first report.
  private func nextReport(behindData: Bool) async -> CustomProtocolReports.Report {
    while true {
      if let report = state.withLock({ $0.reports.take(behindData: behindData) }) { return report }
      await withUnsafeContinuation { continuation in
        let isReady = state.withLock { state in
          guard !state.reports.has(behindData: behindData) else { return true }
          state.reader = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    }
  }

  private func push(_ report: CustomProtocolReports.Report) {
    let reader = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      // Reports of an instance that has finished or was stopped are dropped.
      guard !state.isOver else { return nil }
      state.reports.append(report)
      defer { state.reader = nil }
      return state.reader
    }
    context.executor.eventLoop.execute { [context] in context.noteActivity() }
    reader?.resume()
  }

  // MARK: The app's side

  func urlProtocol(_ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse) {
    push(.outcome(.redirect(request, redirectResponse)))
    // The instance's work ends with the redirect: it needn't report anything more, and later reports are dropped.
    push(.finished)
  }

  func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) {
    push(.outcome(.cached(cachedResponse.response)))
    push(.data(cachedResponse.data))
    push(.finished)
  }

  func urlProtocol(_ protocol: URLProtocol, didReceive response: URLResponse, cacheStoragePolicy policy: URLCache.StoragePolicy) {
    push(.outcome(.response(response, policy)))
  }

  func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) { push(.data(data)) }

  func urlProtocolDidFinishLoading(_ protocol: URLProtocol) { push(.finished) }

  func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) { push(.failed(LoadError(foreign: error))) }

  func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {
    guard let load else { return answer(challenge, .performDefaultHandling, nil) }
    // Asked on the event loop, where the load ends: no delegate is asked after it has been told of the end.
    context.executor.eventLoop.execute { [self] in
      guard context.failure == nil, !state.withLock({ $0.isOver }) else { return }
      if questions.insert(ObjectIdentifier(challenge)).inserted { context.beginQuestion() }
      load.ask(challenge) { [self] disposition, credential in
        context.executor.eventLoop.execute { [self] in endQuestion(ObjectIdentifier(challenge)) }
        answer(challenge, disposition, credential)
      }
    }
  }

  func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {
    context.executor.eventLoop.execute { [self] in endQuestion(ObjectIdentifier(challenge)) }
  }

  /// The delegate has answered, or its answer isn't needed any more. On the event loop.
  private func endQuestion(_ challenge: ObjectIdentifier) {
    if questions.remove(challenge) != nil { context.endQuestion() }
  }

  /// Passes a delegate's answer to the challenge's sender, normally the protocol instance, on the instance's thread. After the end of the load it has
  /// no effect.
  private func answer(
    _ challenge: URLAuthenticationChallenge, _ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?
  ) {
    thread.post { [self] in
      guard let sender = challenge.sender, !state.withLock({ $0.isOver }) else { return }
      switch disposition {
      case .useCredential:
        if let credential {
          sender.use(credential, for: challenge)
        } else {
          sender.continueWithoutCredential(for: challenge)
        }
      case .performDefaultHandling: sender.performDefaultHandling(for: challenge)
      case .cancelAuthenticationChallenge: sender.cancel(challenge)
      case .rejectProtectionSpace: sender.rejectProtectionSpaceAndContinue(with: challenge)
      }
    }
  }
}
