import Foundation
import LoadingModel
import URLLoadingSystem

/// A connection's delegate that notes its messages, and answers as it is told to.
class ConnectionRecorder: NSObject, NSURLConnectionDataDelegate, @unchecked Sendable {
  // @unchecked: `log` is a mutex; the answers are set before the connection starts.
  enum Message: Equatable {
    case willSend(path: String?, redirect: Int?)
    case challenge(method: String, failures: Int)
    case sent(total: Int)
    case newStream
    case response(Int)
    case data
    case willCache
    case finished
    case failed(Int)
  }

  private struct Log {
    var messages: [Message] = []
    var body = Data()
    var queues: Set<ObjectIdentifier> = []
    var threads: Set<ObjectIdentifier> = []
    var error: (any Error)?
  }

  private let log = Mutex(Log())
  private let end = Signal()

  var request: (URLRequest, URLResponse?) -> URLRequest? = { request, _ in request }
  var challenge: (URLAuthenticationChallenge) -> Void = { $0.sender?.performDefaultHandling(for: $0) }
  var stream: () -> InputStream? = { nil }
  var cached: (CachedURLResponse) -> CachedURLResponse? = { $0 }
  var usesStorage = true
  var onMessage: (NSURLConnection) -> Void = { _ in }

  /// Consecutive messages of a kind once.
  var messages: [Message] {
    log.withLock { $0.messages }.reduce(into: []) { result, message in if result.last != message { result.append(message) } }
  }

  var body: Data { log.withLock { $0.body } }
  var error: (any Error)? { log.withLock { $0.error } }
  var queues: Set<ObjectIdentifier> { log.withLock { $0.queues } }
  var threads: Set<ObjectIdentifier> { log.withLock { $0.threads } }
  var hasEnded: Bool {
    messages.contains { message in
      if case .failed = message { true } else { message == .finished }
    }
  }

  /// Returns once the last message has come.
  func ended() async { await end.wait() }

  private func note(_ message: Message, _ connection: NSURLConnection) {
    log.withLock { log in
      log.messages.append(message)
      log.threads.insert(ObjectIdentifier(Thread.current))
      if let queue = OperationQueue.current { log.queues.insert(ObjectIdentifier(queue)) }
    }
    onMessage(connection)
  }

  func connection(_ connection: NSURLConnection, willSend request: URLRequest, redirectResponse response: URLResponse?) -> URLRequest? {
    note(.willSend(path: request.url?.path, redirect: (response as? HTTPURLResponse)?.statusCode), connection)
    return self.request(request, response)
  }

  func connectionShouldUseCredentialStorage(_ connection: NSURLConnection) -> Bool { usesStorage }

  func connection(_ connection: NSURLConnection, willSendRequestFor challenge: URLAuthenticationChallenge) {
    note(
      .challenge(method: challenge.protectionSpace.authenticationMethod, failures: challenge.previousFailureCount), connection)
    self.challenge(challenge)
  }

  func connection(
    _ connection: NSURLConnection, didSendBodyData bytesWritten: Int, totalBytesWritten: Int, totalBytesExpectedToWrite: Int
  ) {
    if totalBytesWritten == totalBytesExpectedToWrite { note(.sent(total: totalBytesWritten), connection) }
  }

  func connection(_ connection: NSURLConnection, needNewBodyStream request: URLRequest) -> InputStream? {
    note(.newStream, connection)
    return stream()
  }

  func connection(_ connection: NSURLConnection, didReceive response: URLResponse) {
    note(.response((response as? HTTPURLResponse)?.statusCode ?? 0), connection)
  }

  func connection(_ connection: NSURLConnection, didReceive data: Data) {
    log.withLock { $0.body.append(data) }
    note(.data, connection)
  }

  func connection(_ connection: NSURLConnection, willCacheResponse cachedResponse: CachedURLResponse) -> CachedURLResponse? {
    note(.willCache, connection)
    return cached(cachedResponse)
  }

  func connectionDidFinishLoading(_ connection: NSURLConnection) {
    note(.finished, connection)
    end.send()
  }

  func connection(_ connection: NSURLConnection, didFailWithError error: any Error) {
    log.withLock { $0.error = error }
    note(.failed((error as NSError).code), connection)
    end.send()
  }
}

/// A connection with a delegate queue of its own, not started.
@available(*, deprecated)
func makeConnection(_ request: URLRequest, _ delegate: NSObject, _ queue: OperationQueue = OperationQueue()) throws -> NSURLConnection {
  guard let connection = NSURLConnection(request: request, delegate: delegate, startImmediately: false) else {
    throw URLError(.unknown)
  }
  connection.setDelegateQueue(queue)
  return connection
}

/// Runs `body` on a thread of its own, which has a run loop.
func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  let result: Result<Value, any Error> = await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: Result { try body() }) }
  }
  return try result.get()
}

/// Lets this thread's run loop sleep until it has handled something, again and again until `isDone`.
func turnRunLoop(until isDone: () -> Bool) {
  for _ in 0..<10_000 where !isDone() { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
}
