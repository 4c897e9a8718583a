import Foundation

/// The file of `-D`, which gets the heads of all responses of a run. Thread-safe: each head is written by one call.
final class HeadFile: Sendable {
  private let descriptor: Int32
  private let name: String

  /// - Throws: If the file can't be made.
  init(_ path: String) throws(ToolFailure) {
    name = path == "-" ? "standard output" : path
    descriptor = path == "-" ? STDOUT_FILENO : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    if descriptor < 0 { throw WriteFailure.failure(path, errno) }
  }

  deinit { if descriptor != STDOUT_FILENO { close(descriptor) } }

  /// - Returns: The failure if the head can't be written; nil after success.
  func write(_ head: Data) -> ToolFailure? {
    Descriptor.writeAll(head, to: descriptor).map { WriteFailure.failure(name, $0) }
  }
}
