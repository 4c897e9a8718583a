import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Something that happens, in a delegate or on another thread, and that a test waits for.
struct Signal: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream(of: Void.self) }

  func send() { continuation.yield() }

  /// Returns once it has been sent as often as it was waited for. One waiter at a time.
  func wait() async {
    var iterator = stream.makeAsyncIterator()
    _ = await iterator.next()
  }
}

/// What a completion handler was given, and how often it was called.
final class CompletionLog: Sendable {
  struct Call: Sendable {
    let data: Data?
    let response: URLResponse?
    let error: (any Error)?

    var code: Int? { (error as NSError?)?.code }
  }

  private let calls = Mutex<[Call]>([])
  private let signal = Signal()

  var count: Int { calls.withLock(\.count) }

  var handler: @Sendable (Data?, URLResponse?, (any Error)?) -> Void {
    { [self] data, response, error in
      calls.withLock { $0.append(Call(data: data, response: response, error: error)) }
      signal.send()
    }
  }

  /// The call, once it has come.
  func call() async -> Call {
    await signal.wait()
    return calls.withLock { $0.last } ?? Call(data: nil, response: nil, error: URLError(.unknown))
  }
}

extension TestServer {
  /// Returns once `condition` holds: looks between requests of another session, for half a minute, so that a test which would hang fails.
  func wait(until condition: () -> Bool) async throws {
    let session = URLSession(configuration: try (options.isSecure ? Wire.tls : .plain).configuration())
    route("/wait", reply: Reply(204))
    let end = ContinuousClock.now + .seconds(30)
    while !condition(), ContinuousClock.now < end { _ = try await session.data(from: url("/wait")) }
    session.invalidateAndCancel()
    #expect(condition())
  }
}

/// The code of the error that `body` throws; nil if it throws none.
func errorCode(isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void) async -> Int? {
  do {
    try await body()
    return nil
  } catch {
    return (error as NSError).code
  }
}
