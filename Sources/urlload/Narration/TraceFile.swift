import Foundation
import LoadingModel

/// The file of `--trace`: sent and received bytes as hex and text, in curl's format. Thread-safe.
final class TraceFile: Sendable {
  enum Form: Sendable {
    case hex
    /// Text without hex (`--trace-ascii`).
    case text
  }

  private let descriptor: Int32
  private let form: Form
  /// Held while one piece is written, so that pieces don't mix.
  private let lock = Mutex(())

  /// - Parameter path: The file; `-` for standard output, `%` for standard error, as in curl.
  /// - Throws: If the file can't be made.
  init(_ path: String, _ form: Form) throws(ToolFailure) {
    self.form = form
    switch path {
    case "-": descriptor = STDOUT_FILENO
    case "%": descriptor = STDERR_FILENO
    default: descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    }
    if descriptor < 0 { throw WriteFailure.failure(path, errno) }
  }

  deinit { if descriptor > STDERR_FILENO { close(descriptor) } }

  /// Writes a step, described in words.
  func note(_ text: String) { write("== Info: \(text)\n") }

  /// Writes bytes that were sent or received.
  func dump(_ bytes: Data, as title: String) {
    write("\(title), \(bytes.count) bytes (0x\(String(bytes.count, radix: 16)))\n" + TraceFile.text(of: [UInt8](bytes), form))
  }

  private func write(_ text: String) {
    // Errors are ignored, because an incomplete trace mustn't end a load.
    lock.withLock { _ in _ = Descriptor.writeAll(Data(text.utf8), to: descriptor) }
  }

  /// The lines of a dump, each with its offset: of 16 bytes each in hex, or of up to 64 characters of text, ended early by a line break.
  static func text(of bytes: [UInt8], _ form: Form) -> String {
    let width = form == .hex ? 16 : 64
    var (lines, start) = ("", 0)
    while start < bytes.count {
      var end = min(start + width, bytes.count)
      var next = end
      if form == .text, let stop = lineEnd(in: bytes, start, end) { (end, next) = (stop, stop + 2) }
      lines += hex(start, digits: 4) + ": "
      if form == .hex {
        for index in start..<(start + width) { lines += index < end ? hex(Int(bytes[index]), digits: 2) + " " : "   " }
      }
      for byte in bytes[start..<end] {
        lines.unicodeScalars.append(0x20..<0x7F ~= byte ? Unicode.Scalar(byte) : ".")
      }
      lines += "\n"
      start = next
    }
    return lines
  }

  /// Where the line's CR LF begins; nil if there is none. It may directly follow the full width.
  private static func lineEnd(in bytes: [UInt8], _ start: Int, _ end: Int) -> Int? {
    (start...end).first { $0 + 1 < bytes.count && bytes[$0] == 0x0D && bytes[$0 + 1] == 0x0A }
  }

  private static func hex(_ number: Int, digits: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
