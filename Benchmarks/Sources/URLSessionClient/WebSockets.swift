import Dispatch
import Foundation
import Measuring

#if FOUNDATION_NETWORKING_PEER
  import FoundationNetworking
#else
  import URLLoadingSystem
#endif

/// Messages over URLSession's WebSocket tasks, each answered by the server with itself.
///
/// A socket is used by one worker at a time: it sends a message and waits for the answer.
final class WebSockets: Sendable {
  /// Which of the task's interfaces is used.
  enum Interface: Sendable {
    case async
    case completion
  }

  private let session: URLSession
  private let url: URL
  private let interface: Interface
  private let message: URLSessionWebSocketTask.Message
  private let idle = Idle()

  /// Sockets that aren't in use.
  private final class Idle: @unchecked Sendable {
    // @unchecked: behind the lock.
    private let lock = NSLock()
    private var tasks: [URLSessionWebSocketTask] = []

    func take() -> URLSessionWebSocketTask? { lock.withLock { tasks.popLast() } }
    func put(_ task: URLSessionWebSocketTask) { lock.withLock { tasks.append(task) } }
  }

  init(_ url: URL, _ interface: Interface, bytes: Int) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    session = URLSession(configuration: configuration)
    self.url = url
    self.interface = interface
    message = .data(Data(repeating: 7, count: bytes))
  }

  /// Sends a message over a socket that isn't used, or a new one; returns the answer's length.
  func exchange() async throws -> Int {
    let task = idle.take() ?? open()
    defer { idle.put(task) }
    return try await exchange(over: task)
  }

  func open() -> URLSessionWebSocketTask {
    let task = session.webSocketTask(with: url)
    task.maximumMessageSize = 2 << 20
    task.resume()
    return task
  }

  func exchange(over task: URLSessionWebSocketTask) async throws -> Int {
    switch interface {
    case .async:
      try await task.send(message)
      return Self.length(try await task.receive())
    case .completion:
      return try await withCheckedThrowingContinuation { continuation in
        task.receive { result in continuation.resume(with: result.map(Self.length)) }
        // What fails to be sent fails `receive` too.
        task.send(message) { _ in }
      }
    }
  }

  func close() { session.invalidateAndCancel() }

  private static func length(_ message: URLSessionWebSocketTask.Message) -> Int {
    switch message {
    case .data(let data): data.count
    case .string(let text): text.utf8.count
    @unknown default: 0
    }
  }

  /// The whole of a scenario with WebSockets.
  static func measure(_ arguments: Arguments, bytes: Int) async throws -> Measuring.Measurement {
    guard let url = URL(string: arguments.url) else { throw BenchmarkFailure("not a URL: \(arguments.url)") }
    let sockets = WebSockets(url, arguments.mode == "completion" ? .completion : .async, bytes: bytes)
    defer { sockets.close() }
    if case .open = arguments.scenario.body {
      return try await Measuring.Measurement.open(arguments) {
        let task = sockets.open()
        _ = try await sockets.exchange(over: task)
        return task
      } exchange: {
        try await sockets.exchange(over: $0)
      }
    }
    return try await Measuring.Measurement.run(arguments) { _ in try await sockets.exchange() }
  }
}
