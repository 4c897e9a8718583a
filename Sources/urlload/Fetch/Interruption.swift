import Dispatch
import Foundation
import LoadingModel

/// Turns the first SIGINT, SIGTERM or SIGHUP into a cancellation. A second signal ends the process, and so does half a second in which the
/// cancellation has had no effect, because the reader of the output doesn't read.
///
/// The closure that is called before the process ends is told whether there was a second signal: without one, it may take the time to complete a
/// file.
///
/// Owned by a `FetchRun`; thread-safe.
final class Interruption: Sendable {
  private struct State {
    var status: ExitStatus?
    var onCancel: (@Sendable () -> Void)?
    var onExit: (@Sendable (_ isRepeated: Bool) -> Void)?
  }

  private let state = Mutex(State())
  private let sources = Mutex<[any DispatchSourceSignal]>([])

  /// Begins to handle the signals. SIGPIPE is ignored, so that writing to a closed pipe fails with an error.
  init() {
    signal(SIGPIPE, SIG_IGN)
    for number in [SIGINT, SIGTERM, SIGHUP] { watch(number) }
  }

  /// Signals have their default effect again.
  deinit {
    for source in sources.withLock({ $0 }) {
      source.cancel()
      signal(Int32(source.handle), SIG_DFL)
    }
  }

  private func watch(_ number: Int32) {
    let previous = signal(number, SIG_IGN)
    // A signal that was ignored from the start, as under nohup, stays ignored.
    guard unsafeBitCast(previous, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self) else { return }
    sources.withLock { sources in
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { [weak self] in self?.received(number) }
      source.resume()
      sources.append(source)
    }
  }

  /// The exit code because of a signal; nil if none came.
  var status: ExitStatus? { state.withLock { $0.status } }

  /// Sets what happens at a signal.
  /// - Parameters:
  ///   - cancel: Called at the first signal: cancels the loads.
  ///   - exit: Called before the process is ended. Must be quick if `isRepeated`, after a second signal.
  func set(onCancel cancel: @escaping @Sendable () -> Void, onExit exit: @escaping @Sendable (_ isRepeated: Bool) -> Void) {
    state.withLock { state in
      state.onCancel = cancel
      state.onExit = exit
    }
  }

  private func received(_ number: Int32) {
    let status = ExitStatus(signal: number)
    let (isFirst, cancel) = state.withLock { state in
      defer { state.status = state.status ?? status }
      return (state.status == nil, state.onCancel)
    }
    guard isFirst else { return end(status, isRepeated: true) }
    cancel?()
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.5) { [weak self] in self?.end(status, isRepeated: false) }
  }

  private func end(_ status: ExitStatus, isRepeated: Bool) {
    state.withLock { $0.onExit }?(isRepeated)
    _exit(status.rawValue)
  }
}
