import Foundation

/// `-T` with a `file:` URL: the content is written to the file that the URL names.
///
/// As everything that is written, a regular file gets its name once it is complete, so that a copy that fails leaves what was there.
struct FileCopy: Sendable {
  private static let pieceSize = 64 * 1024

  let content: SentContent
  let output: Output
  /// The rate of `--limit-rate`.
  let pace: SharedPace?

  /// Blocks until everything is written.
  /// - Parameter ending: The signal that ends the run, once there is one.
  /// - Throws: What went wrong; the file is as it was then.
  func run(unless ending: () -> ExitStatus?) throws(ToolFailure) {
    do throws(ToolFailure) {
      switch content {
      case .none, .form: break
      case .data(let data): try output.write(data)
      case .standardInput: try copy(STDIN_FILENO, "-", ending)
      case .file(let path, _):
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SentContent.unreadable(path, errno) }
        defer { close(descriptor) }
        try copy(descriptor, path, ending)
      }
      _ = try output.commit()
    } catch {
      output.discard()
      throw error
    }
  }

  private func copy(_ source: Int32, _ name: String, _ ending: () -> ExitStatus?) throws(ToolFailure) {
    var buffer = [UInt8](repeating: 0, count: FileCopy.pieceSize)
    while true {
      if let signal = ending() { throw ToolFailure(signal, "") }
      let count = read(source, &buffer, buffer.count)
      if count == 0 { return }
      if count < 0 {
        guard errno == EINTR else { throw SentContent.unreadable(name, errno) }
        continue
      }
      try output.write(Data(buffer[..<count]))
      pace?.take(count) { ending() != nil }
    }
  }
}
