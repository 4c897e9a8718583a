import Foundation
import ProcessMemory

/// Writes reports to a file or to standard error.
final class LeaksOutput {
  private let name: String
  private let descriptor: Int32
  private let isOwned: Bool
  /// The first failure of a write; nil if there was none.
  private(set) var failure: ToolFailure?

  /// - Parameter path: A file, which is made, or emptied if it exists; nil for standard error.
  init(path: String?) throws(ToolFailure) {
    name = path ?? "standard error"
    isOwned = path != nil
    guard let path else {
      descriptor = STDERR_FILENO
      return
    }
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw WriteFailure.failure(path, errno) }
  }

  deinit { if isOwned { close(descriptor) } }

  func write(_ text: String) {
    guard let code = Descriptor.writeAll(Data(text.utf8), to: descriptor) else { return }
    if failure == nil { failure = WriteFailure.failure(name, code) }
  }

  /// Replaces the content of the file at `path`.
  func replace(_ path: String, with text: String) {
    do {
      let file = try LeaksOutput(path: path)
      file.write(text)
      if failure == nil { failure = file.failure }
    } catch {
      if failure == nil { failure = error }
    }
  }

  /// A report's text for a terminal: control characters in names from the examined program are made harmless. Line breaks stay.
  static func printable(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { Printable.text(String($0)) }.joined(separator: "\n")
  }
}
