import Dispatch
import Foundation
import LoadingModel

/// Turns the first SIGINT, SIGTERM or SIGHUP into a cancellation. A second one, or a cancellation that has no effect within half a second
/// because the reader of our output has stalled, ends the process.
///
/// What must be done before the process ends is told which of the two it is: the first may complete what mustn't be left half done.
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

  /// Begins to watch. SIGPIPE is ignored: writing to a closed pipe then fails with an error.
  init() {
    signal(SIGPIPE, SIG_IGN)
    for number in [SIGINT, SIGTERM, SIGHUP] { watch(number) }
  }

  /// Signals end the process again as they did before.
  deinit {
    for source in sources.withLock({ $0 }) {
      source.cancel()
      signal(Int32(source.handle), SIG_DFL)
    }
  }

  private func watch(_ number: Int32) {
    let previous = signal(number, SIG_IGN)
    // Ignored from the start, as under nohup: stays so.
    guard unsafeBitCast(previous, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self) else { return }
    sources.withLock { sources in
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { [weak self] in self?.received(number) }
      source.resume()
      sources.append(source)
    }
  }

  /// How to end because of a signal; nil if none came.
  var status: ExitStatus? { state.withLock { $0.status } }

  /// Sets what a signal does.
  /// - Parameters:
  ///   - cancel: Ends what is under way.
  ///   - exit: What must be done before the process is ended by force; quickly, if it is given that there was a second signal.
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
