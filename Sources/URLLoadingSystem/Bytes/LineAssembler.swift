import Foundation

/// Cuts bytes into lines of text. A value without I/O; `AsyncLineSequence.AsyncIterator` owns it.
///
/// ```
/// accept(byte)  ──────────────► line?      bytes one by one
/// refill(chunk) ► nextLine() ─► line?      bytes by the piece, until nil
///                 finish()   ─► line?      at the end: what no terminator closed
/// ```
/// Terminators are LF, VT, FF, CR, NEL (C2 85), LS (E2 80 A8) and PS (E2 80 A9). CR LF needs no rule of its own: empty lines are
/// dropped, so its LF closes nothing.
@usableFromInline
struct LineAssembler: Sendable {
  /// The line so far: as long as the longest line of the input.
  @usableFromInline var line: [UInt8] = []
  private var chunk = Data()
  private var position = 0

  @usableFromInline
  init() {}

  @inlinable
  mutating func accept(_ byte: UInt8) -> String? {
    guard LineAssembler.mayTerminate(byte) else {
      line.append(byte)
      return nil
    }
    return closeLine(byte)
  }

  /// Takes the next piece; the previous one must be used up.
  @usableFromInline
  mutating func refill(_ next: Data) {
    chunk = next
    position = 0
  }

  /// The next line that the current piece completes; nil once it is used up.
  @usableFromInline
  mutating func nextLine() -> String? {
    while position < chunk.count {
      let start = position
      let found = chunk.withUnsafeBytes { bytes -> (end: Int, text: String?) in
        let end = LineAssembler.firstCandidate(in: bytes, from: start)
        let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        // The common line lies whole within one piece and is copied once.
        if end < bytes.count, bytes[end] <= 0x0D, line.isEmpty {
          return (end, piece.isEmpty ? nil : String(decoding: piece, as: UTF8.self))
        }
        line.append(contentsOf: piece)
        return (end, end < bytes.count ? closeLine(bytes[end]) : nil)
      }
      position = found.end + 1
      if let text = found.text { return text }
    }
    return nil
  }

  /// The text after the last terminator; nil if there is none.
  @usableFromInline
  mutating func finish() -> String? { takeLine() }

  /// Forgets everything: the input failed.
  @usableFromInline
  mutating func discard() { self = LineAssembler() }

  /// Whether `byte` is a terminator or the last byte of one.
  @inlinable
  static func mayTerminate(_ byte: UInt8) -> Bool {
    (byte &- 0x0A) < 4 || byte == 0x85 || (byte & 0xFE) == 0xA8
  }

  private static func firstCandidate(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    while index < bytes.count, !mayTerminate(bytes[index]) { index += 1 }
    return index
  }

  /// Ends the line if `byte` completes a terminator, else makes it part of the line.
  ///
  /// Looking back is enough: C2 and E2 only ever start a UTF-8 sequence.
  @usableFromInline
  mutating func closeLine(_ byte: UInt8) -> String? {
    if byte <= 0x0D { return takeLine() }
    if byte == 0x85, line.last == 0xC2 {
      line.removeLast()
      return takeLine()
    }
    if byte != 0x85, line.count >= 2, line[line.count - 2] == 0xE2, line[line.count - 1] == 0x80 {
      line.removeLast(2)
      return takeLine()
    }
    line.append(byte)
    return nil
  }

  private mutating func takeLine() -> String? {
    guard !line.isEmpty else { return nil }
    defer { line.removeAll(keepingCapacity: true) }
    return String(decoding: line, as: UTF8.self)
  }
}
