import Dispatch
import Foundation
import LoadingModel
import URLLoadingSystem

/// The settings of a WebSocket session.
struct WebSocketOptions: Sendable {
  /// How messages are read from standard input and written to standard output.
  enum Content: Sendable {
    /// A message a line: text unchanged, binary data in hexadecimal.
    case lines
    /// The bytes of the messages, without separators.
    case bytes
  }

  /// What happens at the end of the input.
  enum InputEnd: Sendable {
    case closes
    /// Nothing: the session goes on until the server closes it.
    case nothing
  }

  var content = Content.lines
  var inputEnd = InputEnd.closes
  var isVerbose = false
  var isSilent = false
  var maximumMessageSize = 64 << 20
  /// Seconds between pings; nil sends none.
  var pingInterval: Double?
  /// Whether a WebSocket that the server or the network has ended is opened again.
  var reconnects = false
  /// How JSON in text messages is formatted on a terminal.
  var pretty = PrettyForm.all
  var answers = ChallengeAnswers()
}

/// Connects a WebSocket with standard input and output.
///
/// Input is read on a thread of its own, which waits until a message is sent before it reads the next one; a received message is written before the
/// next one is asked for. So no messages accumulate in memory if one side is slow.
final class WebSocketClient: Sendable {
  private struct State {
    /// The failure for which the tool has ended the session; takes precedence over the task's error.
    var failure: ToolFailure?
    /// The code with which this side has closed the WebSocket; nil if it hasn't.
    var ownCode: Int?
    var link: Link
    /// Whether a line of the input couldn't be sent.
    var hasRefused = false
    /// Whether a WebSocket has been open in this session.
    var hasOpened = false
    /// Whether the session has ended, so that no WebSocket is opened any more.
    var isOver = false
    /// The pause before the WebSocket is opened again.
    var pause: Task<Void, Never>?
  }

  /// One WebSocket of the session: its task and delegate.
  private struct Link: Sendable {
    let task: URLSessionWebSocketTask
    let events: WebSocketDelegate
  }

  private let terms: WebSocketOptions
  private let console: Console
  private let session: URLSession
  private let request: URLRequest
  private let interruption = Interruption()
  private let state: Mutex<State>
  /// Signaled when a new WebSocket has replaced one, and when none will.
  private let turn = NSCondition()
  private let output = DispatchQueue(label: "urlload.chat.output")
  private let showsToSomebody = isatty(STDOUT_FILENO) == 1
  /// The terminal in which lines are typed while messages come; nil if input or output isn't one.
  private let terminal: TypingTerminal?

  /// Makes the task, which `run` resumes.
  init(_ terms: WebSocketOptions, _ console: Console, _ session: URLSession, _ request: URLRequest) {
    self.terms = terms
    self.console = console
    self.session = session
    self.request = request
    let terminal = terms.content == .lines ? TypingTerminal(prompt: WebSocketText.sentMark(terms.pretty)) : nil
    self.terminal = terminal
    state = Mutex(State(link: WebSocketClient.link(terms, session, request) { WebSocketClient.say($0, terminal, console) }))
  }

  private static func link(
    _ terms: WebSocketOptions, _ session: URLSession, _ request: URLRequest, _ say: @escaping @Sendable (String) -> Void
  ) -> Link {
    let task = session.webSocketTask(with: request)
    task.maximumMessageSize = terms.maximumMessageSize
    let events = WebSocketDelegate(terms.answers) { task, subprotocol in
      if terms.isVerbose, let response = task.response { HeadText.verbose(response).forEach(say) }
      if tells(terms) { say("* connected" + (subprotocol.map { ", subprotocol \(Printable.text($0))" } ?? "")) }
    }
    task.delegate = events
    return Link(task: task, events: events)
  }

  private var current: Link { state.withLock { $0.link } }

  /// Sends and receives until the session ends.
  /// - Returns: Success, or the exit code of the signal that has ended the session.
  /// - Throws: If the session fails.
  func run() async throws(ToolFailure) -> ExitStatus {
    interruption.set(
      onCancel: { [weak self] in
        self?.current.task.cancel(with: .goingAway, reason: nil)
        self?.endPause()
      },
      onExit: { [terminal] _ in terminal?.restore() })
    defer { terminal?.restore() }
    current.task.resume()
    Thread.detachNewThread { [self] in talk() }
    let timer = pinging()
    var tries = 0
    while true {
      let link = current
      await listen(link)
      await link.events.ended()
      if link.events.hasOpened {
        tries = 0
        state.withLock { $0.hasOpened = true }
      }
      guard await opensAgain(link, after: min(30, Double(1 << min(tries, 5)))) else { break }
      tries += 1
    }
    change { $0.isOver = true }
    timer?.cancel()
    terminal?.restore()
    return try outcome()
  }

  /// Opens a new WebSocket in the place of one that has ended, if `--reconnect` asks for that.
  private func opensAgain(_ link: Link, after delay: Double) async -> Bool {
    // If none has ever opened, the URL may be wrong or the server missing: that is reported as a failure.
    guard terms.reconnects, state.withLock({ $0.hasOpened }), goesOn else { return false }
    tell("the WebSocket has ended\(WebSocketClient.reason(link)); opening it again in \(Quantity.duration(delay))")
    let pause = Task { _ = try? await Task.sleep(for: .seconds(delay)) }
    state.withLock { $0.pause = pause }
    // If the session has ended just now, `endPause` may have been called before the pause was stored.
    if goesOn { await pause.value } else { pause.cancel() }
    guard goesOn else { return false }
    let next = WebSocketClient.link(terms, session, request) { [terminal, console] in WebSocketClient.say($0, terminal, console) }
    change { $0.link = next }
    next.task.resume()
    return true
  }

  private func endPause() { state.withLock { $0.pause }?.cancel() }

  /// Changes the state, and wakes `waits(behind:)`.
  private func change(_ body: (inout State) -> Void) {
    state.withLock { body(&$0) }
    turn.lock()
    turn.broadcast()
    turn.unlock()
  }

  /// Blocks until a new WebSocket has replaced `link`.
  /// - Returns: false if none will.
  private func waits(behind link: Link) -> Bool {
    turn.lock()
    defer { turn.unlock() }
    while true {
      let (isOver, isLast) = state.withLock { ($0.isOver, $0.link.task === link.task) }
      if isOver || !isLast { return !isOver }
      turn.wait()
    }
  }

  /// Whether neither the user nor the tool has ended the session.
  private var goesOn: Bool { interruption.status == nil && state.withLock { $0.failure == nil && $0.ownCode == nil } }

  private static func reason(_ link: Link) -> String {
    if let close = link.events.close { return " with \(close.code)" }
    return link.events.error.map { ": \(ToolFailure($0).message)" } ?? ""
  }

  private func outcome() throws(ToolFailure) -> ExitStatus {
    let status = try end()
    guard status == .success, state.withLock({ $0.hasRefused }) else { return status }
    // The reasons were reported when the lines were refused.
    throw ToolFailure(.readFailed, "")
  }

  private func end() throws(ToolFailure) -> ExitStatus {
    if let signal = interruption.status { return signal }
    let (failure, ownCode) = state.withLock { ($0.failure, $0.ownCode) }
    let (task, events) = (current.task, current.events)
    if let failure { throw failure }
    if let close = events.close {
      tell("closed with \(close.code)" + (close.reason.isEmpty ? "" : ": \(Printable.text(close.reason))"))
      // Code 1005 means that the close frame had no code (RFC 6455, 7.4.1).
      if [1000, 1001, 1005, ownCode].contains(close.code) { return .success }
      throw ToolFailure(
        .other, "the server closed the WebSocket with \(close.code)" + (close.reason.isEmpty ? "" : " (\(close.reason))"))
    }
    guard let error = events.error else { return .success }
    throw WebSocketFailure.failure(error, task, ownCode: ownCode, hasOpened: events.hasOpened)
  }

  private static func tells(_ terms: WebSocketOptions) -> Bool {
    !terms.isSilent && (isatty(STDERR_FILENO) == 1 || terms.isVerbose || terms.reconnects)
  }

  private func tell(_ text: String) {
    if WebSocketClient.tells(terms) { WebSocketClient.say("* \(text)", terminal, console) }
  }

  /// Writes a message line: above the typed line on a terminal, else to the console.
  private static func say(_ line: String, _ terminal: TypingTerminal?, _ console: Console) {
    if let terminal { terminal.show(line + "\n") } else { console.line(line) }
  }

  private func giveUp(_ failure: ToolFailure) {
    state.withLock { $0.failure = $0.failure ?? failure }
    current.task.cancel(with: .goingAway, reason: nil)
    endPause()
  }

  // MARK: receiving

  private func listen(_ link: Link) async {
    // Errors are ignored here, because the task's completion has them as well.
    while let message = try? await link.task.receive() {
      let code = await withCheckedContinuation { continuation in
        output.async { continuation.resume(returning: self.write(message)) }
      }
      if let code { return giveUp(WriteFailure.failure("standard output", code)) }
    }
  }

  /// Writes a message to standard output.
  /// - Returns: `errno` if that fails; nil after success.
  private func write(_ message: URLSessionWebSocketTask.Message) -> Int32? {
    if let terminal {
      terminal.show(WebSocketText.shown(message, terms.pretty))
      return nil
    }
    return Descriptor.writeAll(WebSocketText.bytes(of: message, terms.content, showsToSomebody: showsToSomebody), to: STDOUT_FILENO)
  }

  // MARK: sending

  private func talk() {
    guard current.events.waitForOpening() else { return }
    var reader = WebSocketInputReader(terms.content, from: STDIN_FILENO)
    while let input = terminal.map({ $0.next().map { WebSocketInput(Array($0.utf8), takesCommands: true) } }) ?? reader.next() {
      switch input {
      case .text(let text): if !send(.string(text)) { return }
      case .bytes(let data): if !send(.data(data)) { return }
      case .ping: ping()
      case .close(let code, let reason): return close(code, reason)
      case .refused(let reason):
        WebSocketClient.say("urlload: \(reason)", terminal, console)
        // At a terminal the user can type the line again.
        if isatty(STDIN_FILENO) == 0 { state.withLock { $0.hasRefused = true } }
      }
    }
    // The close frame is sent after all messages; messages that come before the server's close frame are still written.
    if terms.inputEnd == .closes { close(1000, "") }
  }

  private func close(_ code: Int, _ reason: String) {
    state.withLock { $0.ownCode = code }
    current.task.cancel(
      with: URLSessionWebSocketTask.CloseCode(rawValue: code) ?? .normalClosure, reason: reason.isEmpty ? nil : Data(reason.utf8))
    endPause()
  }

  /// Sends a message, and waits until it is sent.
  /// - Returns: Whether further messages can be sent.
  private func send(_ message: URLSessionWebSocketTask.Message) -> Bool {
    while true {
      let link = current
      if link.events.waitForOpening() {
        let sent = DispatchSemaphore(value: 0)
        let hasFailed = Locked(false)
        link.task.send(message) { error in
          hasFailed.value = error != nil
          sent.signal()
        }
        sent.wait()
        if !hasFailed.value { return true }
      }
      // A message that couldn't be sent is sent again through the next WebSocket.
      guard terms.reconnects, waits(behind: link) else { return false }
    }
  }

  // MARK: pings

  private func ping() {
    let begin = DispatchTime.now()
    current.task.sendPing { [console, terminal] error in
      let elapsed = Double(DispatchTime.now().uptimeNanoseconds - begin.uptimeNanoseconds) / 1e9
      WebSocketClient.say(
        error == nil ? "* pong after \(Quantity.duration(elapsed))" : "* no pong: the WebSocket is closed", terminal, console)
    }
  }

  /// Sends a ping at each interval, and ends the session if one isn't answered before the next.
  private func pinging() -> (any DispatchSourceTimer)? {
    guard let interval = terms.pingInterval else { return nil }
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.schedule(deadline: .now() + interval, repeating: interval)
    let isAnswered = Locked(true)
    timer.setEventHandler { [weak self] in
      // No pings once this side has sent its close frame: the answer to that has its own timeout.
      guard let self, state.withLock({ $0.ownCode }) == nil else { return }
      let (task, events) = (current.task, current.events)
      guard events.hasOpened else {
        isAnswered.value = true
        return
      }
      guard isAnswered.value else {
        state.withLock { $0.failure = ToolFailure(.timedOut, "the server hasn't answered a ping within \(Quantity.duration(interval))") }
        return task.cancel()
      }
      isAnswered.value = false
      // An error also ends the task, which reports it.
      task.sendPing { _ in isAnswered.value = true }
    }
    timer.resume()
    return timer
  }
}
