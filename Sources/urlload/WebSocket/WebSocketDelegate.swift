import Dispatch
import Foundation
import LoadingModel
import URLLoadingSystem

/// The delegate of a WebSocket task: notes opening, close frame and completion, and lets others wait for them. Thread-safe.
final class WebSocketDelegate: NSObject, URLSessionWebSocketDelegate, Sendable {
  /// The contents of a close frame.
  struct Close: Sendable, Equatable {
    var code: Int
    var reason: String
  }

  private enum Phase {
    case opening
    case open
    case ended((any Error)?)
  }

  private struct State {
    var phase = Phase.opening
    var hasOpened = false
    var close: Close?
    var waiting: [@Sendable () -> Void] = []
    var ending: [CheckedContinuation<Void, Never>] = []
  }

  private let answers: ChallengeAnswers
  private let onOpening: @Sendable (URLSessionWebSocketTask, _ subprotocol: String?) -> Void
  private let state = Mutex(State())

  /// - Parameter onOpening: Called when the WebSocket is open.
  init(_ answers: ChallengeAnswers, onOpening: @escaping @Sendable (URLSessionWebSocketTask, _ subprotocol: String?) -> Void) {
    self.answers = answers
    self.onOpening = onOpening
    super.init()
  }

  /// The peer's close frame; nil if none has come.
  var close: Close? { state.withLock { $0.close } }

  /// Whether the opening handshake has succeeded.
  var hasOpened: Bool { state.withLock { $0.hasOpened } }

  /// The error of the task's completion; nil before that, or without an error.
  var error: (any Error)? {
    state.withLock { if case .ended(let error) = $0.phase { error } else { nil } }
  }

  /// Blocks until the WebSocket is open, or can't open any more.
  /// - Returns: Whether it is open.
  func waitForOpening() -> Bool {
    let decided = DispatchSemaphore(value: 0)
    let isDecided = state.withLock { state in
      guard case .opening = state.phase else { return true }
      state.waiting.append { decided.signal() }
      return false
    }
    if !isDecided { decided.wait() }
    return state.withLock { if case .open = $0.phase { true } else { false } }
  }

  /// Waits until the task has completed.
  func ended() async {
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        if case .ended = state.phase { return true }
        state.ending.append(continuation)
        return false
      }
      if hasEnded { continuation.resume() }
    }
  }

  // MARK: delegate calls

  func urlSession(_ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol protocol: String?) {
    onOpening(webSocketTask, `protocol`)
    let waiting = state.withLock { state in
      (state.phase, state.hasOpened) = (.open, true)
      defer { state.waiting = [] }
      return state.waiting
    }
    for tell in waiting { tell() }
  }

  func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
  ) {
    let reason = reason.map { String(decoding: $0, as: UTF8.self) } ?? ""
    state.withLock { $0.close = Close(code: closeCode.rawValue, reason: reason) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let (disposition, credential) = answers.answer(challenge, of: task)
    completionHandler(disposition, credential)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let (waiting, ending) = state.withLock { state in
      state.phase = .ended(error)
      defer { (state.waiting, state.ending) = ([], []) }
      return (state.waiting, state.ending)
    }
    for tell in waiting { tell() }
    for continuation in ending { continuation.resume() }
  }
}
