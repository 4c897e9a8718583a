import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel
import ProtocolRules

/// A task that exchanges messages over the WebSocket protocol (RFC 6455), made by `URLSession.webSocketTask(with:)`.
///
/// Messages may be sent and asked for before the WebSocket is open, even before `resume()`: they wait. Each `receive` yields one message;
/// without it the peer is made to wait once 256 KiB are unread. Pings of the peer's are answered by themselves while the task reads.
/// Messages are compressed (permessage-deflate, RFC 7692) where ``URLSessionConfiguration/webSocketCompression`` asks for it and the server
/// agrees.
///
/// The task ends when the WebSocket is closed: with nil as its error if both sides said so. A server that answers the handshake with
/// anything but a WebSocket ends it with `URLError.badServerResponse`, and `response` is the answer. `timeoutIntervalForRequest` bounds the
/// handshake only: an open WebSocket may be silent, as in Apple's recent releases. `timeoutIntervalForResource` bounds the whole task.
open class URLSessionWebSocketTask: URLSessionTask, @unchecked Sendable {
  // @unchecked: `settings` is a mutex, the rest is immutable; the WebSocket session is confined to its event loop, on which `run` makes
  // each call. Subclasses answer for what they add.
  private struct Settings {
    var maximumMessageSize = 1 << 20
    var closeCode = CloseCode.invalid
    var closeReason: Data?
  }

  private let settings = Mutex(Settings())
  let webSocket: WebSocketSession?
  /// Where the task's completion handlers run; shared with its load.
  let pump: DelegatePump?

  init(session: URLSession, identifier: Int, request: LoadRequest?, protocols: [String]) {
    webSocket = WebSocketSession(
      executor: session.engine.executor, protocols: protocols,
      offersCompression: session.settings.webSocketCompression == .offered, maximumMessageSize: 1 << 20)
    pump = session.pump.isSerial ? session.pump : DelegatePump(session.pump.queue, of: session.engine.executor)
    super.init(session: session, identifier: identifier, request: request, delivery: .delegate)
  }

  /// A task without a session, which can do nothing. Sessions make tasks.
  @available(*, deprecated, message: "Tasks are made by a URLSession.")
  public override init() {
    (webSocket, pump) = (nil, nil)
    super.init()
  }

  // MARK: Messages

  /// Sends a message.
  /// - Parameter completionHandler: Called once, on the delegate queue: with nil when the system has taken the whole message, which doesn't
  ///   mean that the peer has it. Where the peer reads slowly, that takes its time: wait for it before sending more.
  @preconcurrency
  open func send(_ message: Message, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
    let content = message.content
    webSocket.run { [self] webSocket in
      webSocket.send(content) { error in self.post { completionHandler(self.publicError(error)) } }
    } orElse: {
      completionHandler($0)
    }
  }

  /// Sends a message; returns when the system has taken it, which doesn't mean that the peer has it.
  /// - Throws: `URLError`; in `NSPOSIXErrorDomain`, `ENOTCONN` once the WebSocket is closed.
  public func send(_ message: Message) async throws {
    let content = message.content
    let failure: LoadError? = try await withUnsafeThrowingContinuation { continuation in
      webSocket.run { webSocket in
        let executor = webSocket.executor
        webSocket.send(content) { error in executor.runOffLoop { continuation.resume(returning: error) } }
      } orElse: {
        continuation.resume(throwing: $0)
      }
    }
    if let error = publicError(failure) { throw error }
  }

  /// Asks for the next message.
  /// - Parameter completionHandler: Called once, on the delegate queue. Several that wait are served in order.
  @preconcurrency
  open func receive(completionHandler: @escaping @Sendable (Result<Message, any Error>) -> Void) {
    webSocket.run { [self] webSocket in
      webSocket.receive { result in self.post { completionHandler(self.publicResult(result)) } }
    } orElse: {
      completionHandler(.failure($0))
    }
  }

  /// The next message.
  ///
  /// Cancelling the Swift task that waits throws `CancellationError`; the WebSocket stays open, and no message is lost.
  /// - Throws: `URLError`; in `NSPOSIXErrorDomain`, `ENOTCONN` once the WebSocket is closed and `EMSGSIZE` for a message over
  ///   `maximumMessageSize`.
  public func receive() async throws -> Message {
    try publicResult(try await nextMessage()).get()
  }

  func nextMessage() async throws -> Result<WebSocketMessage, LoadError> {
    let ticket = ReceiveTicket()
    let result: Result<WebSocketMessage, LoadError> = try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        webSocket.run { webSocket in
          let executor = webSocket.executor
          webSocket.receive(ticket) { result in executor.runOffLoop { continuation.resume(returning: result) } }
        } orElse: {
          continuation.resume(throwing: $0)
        }
      }
    } onCancel: {
      webSocket.run { $0.withdraw(ticket) }
    }
    if case .failure = result { try Task.checkCancellation() }
    return result
  }

  /// Sends a ping, to see whether the peer is there.
  /// - Parameter pongReceiveHandler: Called once, on the delegate queue, in the order of the pings: with nil when the pong has come.
  @preconcurrency
  open func sendPing(pongReceiveHandler: @escaping @Sendable ((any Error)?) -> Void) {
    webSocket.run { [self] webSocket in
      webSocket.ping { error in self.post { pongReceiveHandler(self.publicError(error)) } }
    } orElse: {
      pongReceiveHandler($0)
    }
  }

  /// Bytes of a message, all of its fragments together and decompressed, over which the task fails with `EMSGSIZE`. Default: 1 MiB.
  ///
  /// A change counts from the next message. Values over 1 GiB count as 1 GiB.
  open var maximumMessageSize: Int {
    get { settings.withLock { $0.maximumMessageSize } }
    set {
      let size = max(0, newValue)
      settings.withLock { $0.maximumMessageSize = size }
      webSocket.run { $0.setMaximumMessageSize(size) }
    }
  }

  // MARK: Closing

  /// Closes the WebSocket: sends what waits to be sent, then a close frame, and ends the task without an error when the peer has answered;
  /// with `URLError.cancelled` if it doesn't within 5 seconds. Messages of the peer's that are received meanwhile extend that, to 30 seconds at
  /// most. No effect on a task that has been cancelled or has completed.
  ///
  /// - Parameters:
  ///   - closeCode: Codes that must not be sent, such as `.invalid`, send a close frame without one.
  ///   - reason: UTF-8; of more than 123 bytes, those are sent that make whole characters. Left out if it isn't UTF-8.
  open func cancel(with closeCode: CloseCode, reason: Data?) {
    let close = WebSocketClose(code: closeCode.rawValue, reason: reason)
    let step = change { fields -> Step in
      guard fields.state == .running || fields.state == .suspended else { return .none }
      fields.state = .canceling
      switch fields.lifecycle {
      case .unstarted:
        fields.lifecycle = .starting
        return .start
      case .started(let context): return .interrupt(context)
      case .starting:
        // Noted before the thread that starts the task sees the state, and ends the task.
        noteClose(close)
        return .none
      case .carried, .ended: return .none
      }
    }
    switch step {
    case .interrupt(let context):
      // The engine is told of the new state, so that a suspended task closes at once as well.
      showSuspension(context)
      webSocket.run { [self] webSocket in
        guard !webSocket.close(close) else { return }
        // Noted here, because the thread that starts the task may not have made it the receiver of the WebSocket's events yet.
        noteClose(close)
        context.interrupt(.cancelled())
      }
    case .start:
      noteClose(close)
      perform(step)
    case .none, .showSuspension, .showToDaemon: break
    }
  }

  /// Why the WebSocket was closed, by the peer's close frame or else this side's; `.invalid` while it is open.
  open var closeCode: CloseCode { settings.withLock { $0.closeCode } }

  /// What the closing side gave as its reason, in UTF-8; nil while the WebSocket is open, and without a reason.
  open var closeReason: Data? { settings.withLock { $0.closeReason } }

  private func noteClose(_ close: WebSocketClose) { noteClose(code: Int(close.code ?? 1005), reason: Data(close.reason)) }

  func noteClose(code: Int, reason: Data) {
    settings.withLock { settings in
      settings.closeCode = CloseCode(code)
      settings.closeReason = reason.isEmpty ? nil : reason
    }
  }

  // MARK: The session

  /// Connects the task with its load, before the load starts: messages sent so far go out once the WebSocket is open.
  func begin(_ context: LoadContext, _ load: TaskLoad) {
    webSocket.run { $0.begin(context, load) }
  }

  private func post(_ call: @escaping @Sendable () -> Void) { pump?.post(call) }

  private func publicError(_ error: LoadError?) -> (any Error)? {
    error?.urlError(failingURL: currentRequest?.url)
  }

  func publicResult(_ result: Result<WebSocketMessage, LoadError>) -> Result<Message, any Error> {
    result.map { Message($0) }.mapError { $0.urlError(failingURL: currentRequest?.url) }
  }
}
