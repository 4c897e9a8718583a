import Dispatch
import Foundation
import LoadingModel
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
  /// Whether a WebSocket that the server has ended is opened again.
  var reconnects = false
  /// How text that is JSON is shown on a terminal.
  var pretty = PrettyForm.all
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
    var link: Link
    /// Whether something of the input couldn't be sent.
    var hasRefused = false
    /// Whether any has been open.
    var hasOpened = false
    /// Nothing is opened again.
    var isOver = false
    /// The wait before another is opened.
    var pause: Task<Void, Never>?
  }

  /// One WebSocket: the first, or one that was opened in the place of another.
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
  /// Signaled when another WebSocket takes the place of one, and when none will.
  private let turn = NSCondition()
  private let output = DispatchQueue(label: "urlload.chat.output")
  private let showsToSomebody = isatty(STDOUT_FILENO) == 1
  /// Where lines are typed while messages come; nil between pipes.
  private let terminal: TypingTerminal?

  /// Makes the task; `run` resumes it.
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

  /// Sends and receives until one side ends the WebSocket.
  /// - Returns: Success, or the status of the signal that ended it.
  /// - Throws: What went wrong.
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

  /// Opens another WebSocket in the place of one that has ended, if that is wanted.
  private func opensAgain(_ link: Link, after delay: Double) async -> Bool {
    // Where none has opened, the URL may be wrong, or the server isn't there: that is a failure.
    guard terms.reconnects, state.withLock({ $0.hasOpened }), goesOn else { return false }
    tell("the WebSocket has ended\(WebSocketClient.reason(link)); opening it again in \(Quantity.duration(delay))")
    let pause = Task { _ = try? await Task.sleep(for: .seconds(delay)) }
    state.withLock { $0.pause = pause }
    // What ends it from here on ends the pause as well.
    if goesOn { await pause.value } else { pause.cancel() }
    guard goesOn else { return false }
    let next = WebSocketClient.link(terms, session, request) { [terminal, console] in WebSocketClient.say($0, terminal, console) }
    change { $0.link = next }
    next.task.resume()
    return true
  }

  private func endPause() { state.withLock { $0.pause }?.cancel() }

  /// Changes what `waits(behind:)` waits for.
  private func change(_ body: (inout State) -> Void) {
    state.withLock { body(&$0) }
    turn.lock()
    turn.broadcast()
    turn.unlock()
  }

  /// Waits on the calling thread until another WebSocket has taken the place of `link`.
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

  /// Whether neither the user nor the tool has ended it.
  private var goesOn: Bool { interruption.status == nil && state.withLock { $0.failure == nil && $0.ownCode == nil } }

  private static func reason(_ link: Link) -> String {
    if let close = link.events.close { return " with \(close.code)" }
    return link.events.error.map { ": \(ToolFailure($0).message)" } ?? ""
  }

  private func outcome() throws(ToolFailure) -> ExitStatus {
    let status = try end()
    guard status == .success, state.withLock({ $0.hasRefused }) else { return status }
    // What it was has been told.
    throw ToolFailure(.readFailed, "")
  }

  private func end() throws(ToolFailure) -> ExitStatus {
    if let signal = interruption.status { return signal }
    let (failure, ownCode) = state.withLock { ($0.failure, $0.ownCode) }
    let (task, events) = (current.task, current.events)
    if let failure { throw failure }
    if let close = events.close {
      tell("closed with \(close.code)" + (close.reason.isEmpty ? "" : ": \(Printable.text(close.reason))"))
      // RFC 6455, 7.4.1: 1005 means no code.
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

  /// Above what is being typed.
  private static func say(_ line: String, _ terminal: TypingTerminal?, _ console: Console) {
    if let terminal { terminal.show(line + "\n") } else { console.line(line) }
  }

  private func giveUp(_ failure: ToolFailure) {
    state.withLock { $0.failure = $0.failure ?? failure }
    current.task.cancel(with: .goingAway, reason: nil)
    endPause()
  }

  // MARK: hearing

  private func listen(_ link: Link) async {
    // The task's end says why there is no other.
    while let message = try? await link.task.receive() {
      let code = await withCheckedContinuation { continuation in
        output.async { continuation.resume(returning: self.write(message)) }
      }
      if let code { return giveUp(WriteFailure.failure("standard output", code)) }
    }
  }

  /// - Returns: The system's error number, if it failed.
  private func write(_ message: URLSessionWebSocketTask.Message) -> Int32? {
    if let terminal {
      terminal.show(WebSocketText.shown(message, terms.pretty))
      return nil
    }
    return Descriptor.writeAll(WebSocketText.bytes(of: message, terms.content, showsToSomebody: showsToSomebody), to: STDOUT_FILENO)
  }

  // MARK: sending and receiving

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
        // At a terminal it can be typed again.
        if isatty(STDIN_FILENO) == 0 { state.withLock { $0.hasRefused = true } }
      }
    }
    // Behind the messages, which are sent first; what the server sends before it closes as well is still written.
    if terms.inputEnd == .closes { close(1000, "") }
  }

  private func close(_ code: Int, _ reason: String) {
    state.withLock { $0.ownCode = code }
    current.task.cancel(
      with: URLSessionWebSocketTask.CloseCode(rawValue: code) ?? .normalClosure, reason: reason.isEmpty ? nil : Data(reason.utf8))
    endPause()
  }

  /// Sends, and waits until it is sent.
  /// - Returns: Whether there is use in more.
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
      // One that wasn't sent is sent by the next WebSocket.
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

  /// Sends pings from time to time, and gives up when one hasn't been answered before the next.
  private func pinging() -> (any DispatchSourceTimer)? {
    guard let interval = terms.pingInterval else { return nil }
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.schedule(deadline: .now() + interval, repeating: interval)
    let isAnswered = Locked(true)
    timer.setEventHandler { [weak self] in
      // Closing has a limit of its own.
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
      // An error is the end's to tell.
      task.sendPing { _ in isAnswered.value = true }
    }
    timer.resume()
    return timer
  }
}
