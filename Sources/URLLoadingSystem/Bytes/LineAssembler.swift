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
  // An array: `Data` costs more for each look into it than a short line for its text.
  private var chunk: [UInt8] = []
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
    chunk = [UInt8](next)
    position = 0
  }

  /// The next line that the current piece completes; nil once it is used up.
  @usableFromInline
  mutating func nextLine() -> String? {
    while position < chunk.count {
      let (end, text) = chunk.withUnsafeBytes { advance(in: $0) }
      position = end + 1
      if let text { return text }
    }
    return nil
  }

  /// Reads up to a terminator, or the end of the piece.
  /// - Returns: Where that is, and the line that is complete.
  private mutating func advance(in bytes: UnsafeRawBufferPointer) -> (end: Int, text: String?) {
    let start = position
    var end = start
    while true {
      end = LineAssembler.firstCandidate(in: bytes, from: end)
      guard end < bytes.count else { break }
      // The common line lies whole within one piece and is copied once.
      if line.isEmpty, let length = LineAssembler.terminator(in: bytes, at: end, start) {
        guard length > 0 else {
          end += 1
          continue
        }
        let piece = UnsafeRawBufferPointer(rebasing: bytes[start...end].dropLast(length))
        return (end, piece.isEmpty ? nil : String(decoding: piece, as: UTF8.self))
      }
      break
    }
    line.append(contentsOf: bytes[start..<end])
    return (end, end < bytes.count ? closeLine(bytes[end]) : nil)
  }

  /// How many bytes before and at a candidate are a terminator, 0 if it is none; nil if that depends on bytes before `start`.
  private static func terminator(in bytes: UnsafeRawBufferPointer, at end: Int, _ start: Int) -> Int? {
    let byte = bytes[end]
    if byte <= 0x0D { return 1 }
    guard end - start >= 2 else { return nil }
    if byte == 0x85 { return bytes[end - 1] == 0xC2 ? 2 : 0 }
    return bytes[end - 2] == 0xE2 && bytes[end - 1] == 0x80 ? 3 : 0
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
    // Eight at a time: in each byte of a word the highest bit says whether it may be one.
    while index + 8 <= bytes.count {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      var marks = LineAssembler.marksOfBytes(below: 0x0E, in: word)
      if word & 0x8080_8080_8080_8080 != 0 {
        // 85, and A8 or A9: none of the differences is above 7F where it counts, the lowest mark is always right.
        marks |= marksOfBytes(below: 1, in: word ^ 0x8585_8585_8585_8585)
        marks |= marksOfBytes(below: 2, in: word ^ 0xA8A8_A8A8_A8A8_A8A8)
      }
      while marks != 0 {
        let candidate = index + marks.trailingZeroBitCount / 8
        if mayTerminate(bytes[candidate]) { return candidate }
        marks &= marks - 1
      }
      index += 8
    }
    while index < bytes.count, !mayTerminate(bytes[index]) { index += 1 }
    return index
  }

  /// The highest bit of each byte below `limit`, which is at most 80. A byte above one that is marked may be marked without being below.
  // In line: the limit is a constant of the caller, which folds the multiplication.
  @inline(__always)
  private static func marksOfBytes(below limit: UInt8, in word: UInt64) -> UInt64 {
    (word &- 0x0101_0101_0101_0101 &* UInt64(limit)) & ~word & 0x8080_8080_8080_8080
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
