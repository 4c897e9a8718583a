import Dispatch
import Foundation
import Synchronization
import URLLoadingSystem

/// The settings of a WebSocket session.
struct WebSocketOptions: Sendable {
  /// What messages are on this side's standard input and output.
  enum Content: Sendable {
    /// A line each: text as it is, bytes in hexadecimal.
    case lines
    /// Their bytes, one after the other.
    case bytes
  }

  /// What the end of the input means.
  enum InputEnd: Sendable {
    case closes
    /// The server closes.
    case nothing
  }

  var content = Content.lines
  var inputEnd = InputEnd.closes
  var isVerbose = false
  var isSilent = false
  var maximumMessageSize = 64 << 20
  /// Seconds between pings; nil sends none.
  var pingInterval: Double?
  var answers = ChallengeAnswers()
}

/// A WebSocket session between a server and standard input and output.
///
/// Input is read on a thread of its own, which waits until a message has been sent before it reads on; a message is written before the next
/// one is asked for. So nothing accumulates, whichever side is slow.
final class WebSocketClient: Sendable {
  private struct State {
    /// Why the tool itself gave up; takes precedence over the task's error.
    var failure: ToolFailure?
    /// The code that this side closed with.
    var ownCode: Int?
  }

  private let terms: WebSocketOptions
  private let console: Console
  private let task: URLSessionWebSocketTask
  private let events: WebSocketDelegate
  private let interruption = Interruption()
  private let state = Mutex(State())
  private let output = DispatchQueue(label: "urlload.chat.output")
  private let showsToSomebody = isatty(STDOUT_FILENO) == 1

  /// Makes the task; `run` resumes it.
  init(_ terms: WebSocketOptions, _ console: Console, _ session: URLSession, _ request: URLRequest) {
    self.terms = terms
    self.console = console
    task = session.webSocketTask(with: request)
    task.maximumMessageSize = terms.maximumMessageSize
    events = WebSocketDelegate(terms.answers) { WebSocketClient.tellOpening($0, $1, terms, console) }
    task.delegate = events
  }

  /// Sends and receives until one side ends the WebSocket.
  /// - Returns: Success, or the status of the signal that ended it.
  /// - Throws: What went wrong.
  func run() async throws(ToolFailure) -> ExitStatus {
    let task = task
    interruption.set(onCancel: { task.cancel(with: .goingAway, reason: nil) }, onExit: {})
    task.resume()
    Thread.detachNewThread { [self] in talk() }
    let timer = pinging()
    await listen()
    await events.ended()
    timer?.cancel()
    return try outcome()
  }

  private func outcome() throws(ToolFailure) -> ExitStatus {
    if let signal = interruption.status { return signal }
    let (failure, ownCode) = state.withLock { ($0.failure, $0.ownCode) }
    if let failure { throw failure }
    if let close = events.close {
      WebSocketClient.tell("closed with \(close.code)" + (close.reason.isEmpty ? "" : ": \(Printable.text(close.reason))"), terms, console)
      // RFC 6455, 7.4.1: 1005 means no code.
      if [1000, 1001, 1005, ownCode].contains(close.code) { return .success }
      throw ToolFailure(
        .other, "the server closed the WebSocket with \(close.code)" + (close.reason.isEmpty ? "" : " (\(close.reason))"))
    }
    guard let error = events.error else { return .success }
    throw WebSocketFailure.failure(error, task, ownCode: ownCode, hasOpened: events.hasOpened)
  }

  private static func tell(_ text: String, _ terms: WebSocketOptions, _ console: Console) {
    if !terms.isSilent, console.isTerminal || terms.isVerbose { console.line("* \(text)") }
  }

  private static func tellOpening(_ task: URLSessionWebSocketTask, _ subprotocol: String?, _ terms: WebSocketOptions, _ console: Console) {
    if terms.isVerbose {
      if let response = task.response { HeadText.verbose(response).forEach(console.line) }
    }
    tell("connected" + (subprotocol.map { ", subprotocol \(Printable.text($0))" } ?? ""), terms, console)
  }

  private func giveUp(_ failure: ToolFailure) {
    state.withLock { $0.failure = $0.failure ?? failure }
    task.cancel(with: .goingAway, reason: nil)
  }

  // MARK: hearing

  private func listen() async {
    // The task's end says why there is no other.
    while let message = try? await task.receive() {
      let code = await withCheckedContinuation { continuation in
        output.async { continuation.resume(returning: self.write(message)) }
      }
      if let code { return giveUp(WriteFailure.failure("standard output", code)) }
    }
  }

  /// - Returns: The system's error number, if it failed.
  private func write(_ message: URLSessionWebSocketTask.Message) -> Int32? {
    Descriptor.writeAll(WebSocketText.bytes(of: message, terms.content, showsToSomebody: showsToSomebody), to: STDOUT_FILENO)
  }

  // MARK: sending and receiving

  private func talk() {
    guard events.waitForOpening() else { return }
    var reader = WebSocketInputReader(terms.content, from: STDIN_FILENO)
    while let input = reader.next() {
      switch input {
      case .text(let text): if !send(.string(text)) { return }
      case .bytes(let data): if !send(.data(data)) { return }
      case .ping: ping()
      case .close(let code, let reason): return close(code, reason)
      case .refused(let reason): console.tell(ToolFailure(.other, reason))
      }
    }
    // Behind the messages, which are sent first; what the server sends before it closes as well is still written.
    if terms.inputEnd == .closes { close(1000, "") }
  }

  private func close(_ code: Int, _ reason: String) {
    state.withLock { $0.ownCode = code }
    task.cancel(
      with: URLSessionWebSocketTask.CloseCode(rawValue: code) ?? .normalClosure, reason: reason.isEmpty ? nil : Data(reason.utf8))
  }

  /// Sends, and waits until it is sent.
  /// - Returns: Whether it could be.
  private func send(_ message: URLSessionWebSocketTask.Message) -> Bool {
    let sent = DispatchSemaphore(value: 0)
    let hasFailed = Locked(false)
    task.send(message) { error in
      hasFailed.value = error != nil
      sent.signal()
    }
    sent.wait()
    return !hasFailed.value
  }

  // MARK: pings

  private func ping() {
    let begin = DispatchTime.now()
    task.sendPing { [console] error in
      let elapsed = Double(DispatchTime.now().uptimeNanoseconds - begin.uptimeNanoseconds) / 1e9
      console.line(error == nil ? "* pong after \(Quantity.duration(elapsed))" : "* no pong: the WebSocket is closed")
    }
  }

  /// Sends pings from time to time, and gives up when one hasn't been answered before the next.
  private func pinging() -> (any DispatchSourceTimer)? {
    guard let interval = terms.pingInterval else { return nil }
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.schedule(deadline: .now() + interval, repeating: interval)
    let isAnswered = Locked(true)
    timer.setEventHandler { [weak self] in
      // Closing has a limit of its own.
      guard let self, events.hasOpened, state.withLock({ $0.ownCode }) == nil else { return }
      guard isAnswered.value else {
        state.withLock { $0.failure = ToolFailure(.timedOut, "the server hasn't answered a ping within \(Quantity.duration(interval))") }
        return task.cancel()
      }
      isAnswered.value = false
      // An error is the end's to tell.
      task.sendPing { _ in isAnswered.value = true }
    }
    timer.resume()
    return timer
  }
}
