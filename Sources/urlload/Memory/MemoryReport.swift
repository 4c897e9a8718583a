import Foundation
import ProcessMemory

/// Writes memory maps and their changes, as text or JSON.
struct MemoryReport: Sendable {
  var summary = false
  var json = false
  /// The path of the file to write; nil for standard output.
  var output: String?

  /// The memory map of a process, read now.
  static func map(_ process: Int32) throws(ToolFailure) -> MemoryMap {
    do { return try MemoryMap.read(process) } catch { throw MemoryFailure.failure(error) }
  }

  /// Reads a map that `--json` has written.
  static func document(_ path: String) throws(ToolFailure) -> MapDocument {
    // `readToEnd` works for a pipe as well as for a file.
    guard let content = try? FileHandle(forReadingFrom: URL(filePath: path)).readToEnd() ?? Data() else {
      throw ToolFailure(.fileUnreadable, "\(path) can't be read; name a file that --json has written, or a time such as 5s")
    }
    do { return try MapDocument(json: content) } catch { throw MemoryFailure.document(error, path: path) }
  }

  func write(_ map: MemoryMap) throws(ToolFailure) {
    if json { return try write(MapDocument(map).json) }
    try write(summary ? MemoryTable.summary(map) : MemoryTable.full(map))
  }

  /// Writes the changes between two maps of one process.
  func write(_ before: MemoryMap, _ after: MemoryMap) throws(ToolFailure) {
    try write(MemoryChange(from: before.sums, to: after.sums), title: "Changes of process \(after.process) (\(after.name))")
  }

  func write(_ change: MemoryChange, title: String) throws(ToolFailure) { try write(MemoryChangeText.lines(change, title: title)) }

  private func write(_ lines: [String]) throws(ToolFailure) { try write(Data((lines.joined(separator: "\n") + "\n").utf8)) }

  private func write(_ data: Data) throws(ToolFailure) {
    guard let output else {
      if let code = Descriptor.writeAll(data, to: STDOUT_FILENO) { throw WriteFailure.failure("standard output", code) }
      return
    }
    let file = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard file >= 0 else { throw WriteFailure.failure(output, errno) }
    defer { close(file) }
    if let code = Descriptor.writeAll(data, to: file) { throw WriteFailure.failure(output, code) }
  }
}
