import Foundation
import LoadingModel

/// The file of `--trace`: what is sent and received, as hex and text, in the form of curl's. Thread-safe.
final class TraceFile: Sendable {
  enum Form: Sendable {
    case hex
    /// `--trace-ascii`.
    case text
  }

  private let descriptor: Int32
  private let form: Form
  /// One piece is written at a time.
  private let lock = Mutex(())

  /// - Parameter path: `-` is standard output, `%` standard error, as curl has them.
  /// - Throws: If it can't be made.
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

  /// A step, in words.
  func note(_ text: String) { write("== Info: \(text)\n") }

  /// Bytes that were sent or received.
  func dump(_ bytes: Data, as title: String) {
    write("\(title), \(bytes.count) bytes (0x\(String(bytes.count, radix: 16)))\n" + TraceFile.text(of: [UInt8](bytes), form))
  }

  private func write(_ text: String) {
    // A trace that can't be written is no reason to end a load.
    lock.withLock { _ in _ = Descriptor.writeAll(Data(text.utf8), to: descriptor) }
  }

  /// The lines of a dump, each with its offset: of 16 bytes, or of 64 characters, which a line's end ends.
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

  /// Where CR LF begins; a line may be as long as the width without them.
  private static func lineEnd(in bytes: [UInt8], _ start: Int, _ end: Int) -> Int? {
    (start...end).first { $0 + 1 < bytes.count && bytes[$0] == 0x0D && bytes[$0 + 1] == 0x0A }
  }

  private static func hex(_ number: Int, digits: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
