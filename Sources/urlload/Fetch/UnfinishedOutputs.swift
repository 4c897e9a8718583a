import Dispatch
import LoadingModel

/// An output that is given up where the run is.
protocol UnfinishedOutput: AnyObject, Sendable {
  /// Ends it without completing it.
  /// - Returns: What is left to tell; nil for nothing.
  @discardableResult
  func discard() -> String?
  /// Waits until a file that is being written over is complete.
  func finishOverwriting()
}

extension Output: UnfinishedOutput {}

/// The outputs of a run's loads, by the load's place, until what has become of them is told.
///
/// The end of a load and that of the process, behind a signal, have the same to tell. Messages are written on a queue, each once: where one
/// end has begun to write, the other waits for it, so that the process doesn't end in between. The end of the process waits for a limited
/// time only, as the terminal may take nothing.
///
/// Owned by a `FetchContext`. Thread-safe.
final class UnfinishedOutputs: Sendable {
  private struct State {
    var outputs: [Int: any UnfinishedOutput] = [:]
    /// What ended loads have to tell.
    var messages: [Int: String] = [:]
  }

  private let state = Mutex(State())
  private let writing = DispatchQueue(label: "urlload.unfinished-outputs")
  /// Used on the queue.
  private let told = Mutex<Set<String>>([])

  func add(_ output: any UnfinishedOutput, _ index: Int) { state.withLock { $0.outputs[index] = output } }

  /// A load has ended; its failure isn't told yet.
  func note(_ failure: ToolFailure?, _ index: Int) {
    guard let failure, failure.outlastsSignals else { return }
    state.withLock { $0.messages[index] = failure.message }
  }

  /// A load has ended, and what it had to tell is told.
  func remove(_ index: Int) { state.withLock { ($0.outputs[index], $0.messages[index]) = (nil, nil) } }

  /// Returns once the message is written.
  /// - Parameter isRepeated: Whether it is written even if it has been.
  func tell(_ message: String, isRepeated: Bool, write: () -> Void) {
    writing.sync { if isNew(message) || isRepeated { write() } }
  }

  /// Ends all outputs without completing them, and has told what is left to tell. Returns before that is written.
  /// - Parameter waits: Whether files that are being written over are completed first: half of them would be of no use to anyone.
  func discard(waits: Bool, write: @escaping @Sendable (String) -> Void) {
    let (outputs, ended) = state.withLock { ($0.outputs, $0.messages.keys) }
    for index in Set(outputs.keys).union(ended).sorted() {
      if waits { outputs[index]?.finishOverwriting() }
      let found = outputs[index]?.discard()
      // The load may have added to what its output says.
      if let message = state.withLock({ $0.messages[index] }) ?? found { beginTelling(message, write) }
    }
  }

  /// Waits until all messages are written.
  /// - Returns: Whether they are, within the limit.
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
  /// Whether it is told behind a signal as well. What a signal breaks off is no error, but a file that couldn't be written isn't what the
  /// signal did.
  var outlastsSignals: Bool { status == .writeFailed }
}
