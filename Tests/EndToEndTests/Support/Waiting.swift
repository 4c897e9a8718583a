import ChildProcesses
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
  /// Returns once `condition` holds: looks between requests of another session, for as long as `HangLimit` says.
  func wait(until condition: () -> Bool) async throws {
    let session = URLSession(configuration: try (options.isSecure ? Wire.tls : .plain).configuration())
    route("/wait", reply: Reply(204))
    let end = HangLimit.end
    while !condition(), ContinuousClock.now < end { _ = try await session.data(from: url("/wait")) }
    session.invalidateAndCancel()
    #expect(condition())
  }

  /// Returns once the server knows that what was under way has been given up: over HTTP/1.1 a client can say so only by closing the
  /// connection, over HTTP/2 the connection stays and the stream ends.
  func waitUntilGivenUp(over wire: Wire) async throws {
    try await waitForExchanges(open: 0)
    if !wire.isMultiplexed { try await waitForConnections(open: 0) }
  }
}

extension TestServer.Options {
  /// Whether the server speaks TLS.
  var isSecure: Bool {
    if case .none = tls { false } else { true }
  }
}

extension URLSession {
  /// Returns once the loads that were begun before have come to where they have to wait: a load that begins after them, of another server,
  /// has ended. Unlike `barrier`, it leaves the connections as they are.
  func lineUp() async throws {
    // A session that speaks nothing but HTTP/3 finds nothing else.
    try await TestServer.with(configuration.httpVersions == .http3Only ? Wire.h3.options() : .http) { other async throws in
      other.route("/", reply: .text("ok"))
      _ = try await data(from: other.url())
    }
  }

  /// Returns once the load that was begun last stands in line before all that will be begun. By itself it does, but where loads go through
  /// every stage's `load` (decision 31).
  func keepTurn() async throws {
    if ProcessInfo.processInfo.environment["URL_LOADING_UNPASSED"] == "1" { try await lineUp() }
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
