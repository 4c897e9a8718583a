import Dispatch
import LoadingModel

/// An output that must be cleaned up if the process ends before its load.
protocol UnfinishedOutput: AnyObject, Sendable {
  /// Gives the output up without completing it.
  /// - Returns: A message for the user; nil for none.
  @discardableResult
  func discard() -> String?
  /// Waits until an existing file that is being overwritten is complete.
  func finishOverwriting()
}

extension Output: UnfinishedOutput {}

/// The outputs of a run's loads, by the load's index, until their failures are reported.
///
/// A load's end and a signal's end of the process may report the same failure. Messages are written on a queue, each once: if the one is writing a
/// message, the other waits for it, so that the process doesn't end meanwhile. The end of the process waits for a limited time only, because the
/// terminal may have stopped reading.
///
/// Owned by a `FetchContext`. Thread-safe.
final class UnfinishedOutputs: Sendable {
  private struct State {
    var outputs: [Int: any UnfinishedOutput] = [:]
    /// Failures of loads that have ended and that haven't been reported, by index.
    var messages: [Int: String] = [:]
  }

  private let state = Mutex(State())
  private let writing = DispatchQueue(label: "urlload.unfinished-outputs")
  /// Messages that were written. Used on the queue `writing`.
  private let told = Mutex<Set<String>>([])

  func add(_ output: any UnfinishedOutput, _ index: Int) { state.withLock { $0.outputs[index] = output } }

  /// A load has ended with this failure, which hasn't been reported yet.
  func note(_ failure: ToolFailure?, _ index: Int) {
    guard let failure, failure.outlastsSignals else { return }
    state.withLock { $0.messages[index] = failure.message }
  }

  /// A load has ended, and its failure, if any, was reported.
  func remove(_ index: Int) { state.withLock { ($0.outputs[index], $0.messages[index]) = (nil, nil) } }

  /// Writes a message, unless it was written before; returns when that is done.
  /// - Parameter isRepeated: Whether the message is written even if it was written before.
  func tell(_ message: String, isRepeated: Bool, write: () -> Void) {
    writing.sync { if isNew(message) || isRepeated { write() } }
  }

  /// Gives up all outputs without completing them, and has their messages written; doesn't wait for that.
  /// - Parameter waits: Whether files that are being overwritten are completed first, because half of one is of no use.
  func discard(waits: Bool, write: @escaping @Sendable (String) -> Void) {
    let (outputs, ended) = state.withLock { ($0.outputs, $0.messages.keys) }
    for index in Set(outputs.keys).union(ended).sorted() {
      if waits { outputs[index]?.finishOverwriting() }
      let found = outputs[index]?.discard()
      // The load's own message takes precedence, because it may say more than its output's.
      if let message = state.withLock({ $0.messages[index] }) ?? found { beginTelling(message, write) }
    }
  }

  /// Waits until all messages are written, or `limit` has passed.
  /// - Returns: Whether all were written.
  @discardableResult
  func finishTelling(within limit: DispatchTimeInterval) -> Bool {
    let end = DispatchGroup()
    writing.async(group: end) {}
    return end.wait(timeout: .now() + limit) == .success
  }

  private func beginTelling(_ message: String, _ write: @escaping @Sendable (String) -> Void) {
    writing.async { if self.isNew(message) { write(message) } }
  }

  private func isNew(_ message: String) -> Bool { !message.isEmpty && told.withLock { $0.insert(message).inserted } }
}

extension ToolFailure {
  /// Whether the failure is reported even if a signal ends the process: one of writing a file, which the signal hasn't caused.
  var outlastsSignals: Bool { status == .writeFailed }
}
