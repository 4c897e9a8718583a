import Foundation
import Synchronization
import URLLoadingSystem

/// Where one body goes. A regular file is written under a temporary name beside its own and gets its name once it is complete.
///
/// Owned by a `Fetch`. Thread-safe: it is written on the delegate queue and discarded from anywhere.
final class Output: Sendable {
  private enum State {
    /// The file's name isn't known yet. What is written waits here: heads of redirects.
    case unnamed(Data)
    /// Standard output, or a file that isn't regular: there is nothing to rename.
    case direct(descriptor: Int32, name: String, isOwned: Bool)
    case temporary(UnfinishedFile)
    case ended
  }

  private let state: Mutex<State>

  /// - Throws: If the destination can't be written.
  init(_ destination: Destination) throws(ToolFailure) {
    switch destination {
    case .suggestedName: state = Mutex(.unnamed(Data()))
    case .standardOutput: state = Mutex(.direct(descriptor: STDOUT_FILENO, name: "standard output", isOwned: false))
    case .file(let path): state = Mutex(try Output.open(path))
    }
  }

  private static func open(_ path: String) throws(ToolFailure) -> State {
    var status = stat()
    if stat(path, &status) == 0 {
      if status.st_mode & S_IFMT == S_IFDIR { throw WriteFailure.failure(path, EISDIR) }
      if status.st_mode & S_IFMT != S_IFREG {
        let descriptor = Foundation.open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw WriteFailure.failure(path, errno) }
        return .direct(descriptor: descriptor, name: path, isOwned: true)
      }
    }
    return .temporary(try UnfinishedFile(for: path, replaces: true))
  }

  /// Whether the body would be shown to somebody.
  var isTerminal: Bool {
    state.withLock { state in
      if case .direct(let descriptor, _, _) = state { isatty(descriptor) == 1 } else { false }
    }
  }

  /// The response is there: the time to choose a name where the options leave it to the response.
  /// - Throws: If the file can't be written.
  func begin(_ response: URLResponse) throws(ToolFailure) {
    guard case .unnamed(let head) = state.withLock({ $0 }) else { return }
    let name = response.suggestedFilename ?? "unknown"
    // A name out of the URL is the user's own choice and may replace a file; a name that only the server chose may not.
    let file = try UnfinishedFile(for: name, replaces: name == response.url?.lastPathComponent)
    state.withLock { $0 = .temporary(file) }
    try write(head)
  }

  /// Writes, and waits until it is written.
  /// - Throws: If that fails.
  func write(_ data: Data) throws(ToolFailure) {
    let (descriptor, name): (Int32, String)
    switch state.withLock({ $0 }) {
    case .unnamed(let head):
      state.withLock { $0 = .unnamed(head + data) }
      return
    case .direct(let open, let path, _): (descriptor, name) = (open, path)
    case .temporary(let file): (descriptor, name) = (file.descriptor, file.path)
    case .ended: return
    }
    if let code = Descriptor.writeAll(data, to: descriptor) { throw WriteFailure.failure(name, code) }
  }

  /// Everything is written: the file gets its name.
  /// - Returns: The name of a file.
  /// - Throws: If the file can't get it.
  func commit() throws(ToolFailure) -> String? {
    switch end() {
    case .unnamed, .ended: return nil
    case .direct(let descriptor, let name, let isOwned):
      if isOwned, close(descriptor) != 0 { throw WriteFailure.failure(name, errno) }
      return nil
    case .temporary(let file):
      try file.commit()
      return file.path
    }
  }

  /// Removes what hasn't been committed. May be called repeatedly.
  func discard() {
    switch end() {
    case .unnamed, .ended: break
    case .direct(let descriptor, _, let isOwned): if isOwned { close(descriptor) }
    case .temporary(let file): file.discard()
    }
  }

  private func end() -> State {
    state.withLock { state in
      defer { state = .ended }
      return state
    }
  }
}
