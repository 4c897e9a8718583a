import Foundation

/// Splits bytes into lines of text. A value without I/O; `AsyncLineSequence.AsyncIterator` owns it.
///
/// ```
/// accept(byte)  ──────────────► line?      bytes one by one
/// refill(chunk) ► nextLine() ─► line?      bytes by the piece, until nil
///                 finish()   ─► line?      at the end: text without a terminator
/// ```
/// Terminators are LF, VT, FF, CR, NEL (C2 85), LS (E2 80 A8) and PS (E2 80 A9). CR LF needs no rule of its own: empty lines are dropped, so that its
/// LF ends no line.
@usableFromInline
struct LineAssembler: Sendable {
  /// The bytes of the current line from earlier pieces. Its capacity is kept: as large as the longest line of the input.
  @usableFromInline var line: [UInt8] = []
  // An array, because accessing `Data` for each line costs more than making a short line's text.
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

  /// Sets the next piece, after `nextLine()` has returned nil for the previous one.
  @usableFromInline
  mutating func refill(_ next: Data) {
    chunk = [UInt8](next)
    position = 0
  }

  /// The next line that ends in the current piece; nil if no further one does.
  @usableFromInline
  mutating func nextLine() -> String? {
    while position < chunk.count {
      let (end, text) = chunk.withUnsafeBytes { advance(in: $0) }
      position = end + 1
      if let text { return text }
    }
    return nil
  }

  /// Reads up to a terminator, or to the end of the piece.
  /// - Returns: The index of the terminator's last byte or of the piece's end, and the line if it is complete.
  private mutating func advance(in bytes: UnsafeRawBufferPointer) -> (end: Int, text: String?) {
    let start = position
    var end = start
    while true {
      end = LineAssembler.firstCandidate(in: bytes, from: end)
      guard end < bytes.count else { break }
      // Most lines lie within one piece: such a line is copied only once.
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

  /// The length of the terminator that ends at `end`, 0 if there is none; nil if that depends on bytes before `start`.
  private static func terminator(in bytes: UnsafeRawBufferPointer, at end: Int, _ start: Int) -> Int? {
    let byte = bytes[end]
    if byte <= 0x0D { return 1 }
    guard end - start >= 2 else { return nil }
    if byte == 0x85 { return bytes[end - 1] == 0xC2 ? 2 : 0 }
    return bytes[end - 2] == 0xE2 && bytes[end - 1] == 0x80 ? 3 : 0
  }

  /// Returns the text after the last terminator, at the end of the input; nil if there is none.
  @usableFromInline
  mutating func finish() -> String? { takeLine() }

  /// Drops the current line, because the input has failed.
  @usableFromInline
  mutating func discard() { self = LineAssembler() }

  /// Whether `byte` is a terminator or the last byte of one.
  @inlinable
  static func mayTerminate(_ byte: UInt8) -> Bool {
    (byte &- 0x0A) < 4 || byte == 0x85 || (byte & 0xFE) == 0xA8
  }

  private static func firstCandidate(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    // Eight bytes at a time: the highest bit of each byte in `marks` says whether that byte may end a terminator.
    while index + 8 <= bytes.count {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      var marks = LineAssembler.marksOfBytes(below: 0x0E, in: word)
      if word & 0x8080_8080_8080_8080 != 0 {
        // Marks 0x85, 0xA8 and 0xA9. False marks are only possible above a true one, and each candidate is checked below.
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

  /// Sets the highest bit of each byte that is less than `limit` (at most 0x80). A byte above a marked one may be marked falsely.
  // Always inlined: `limit` is a constant of each caller, so that the multiplication is folded.
  @inline(__always)
  private static func marksOfBytes(below limit: UInt8, in word: UInt64) -> UInt64 {
    (word &- 0x0101_0101_0101_0101 &* UInt64(limit)) & ~word & 0x8080_8080_8080_8080
  }

  /// Ends the line if `byte` completes a terminator; otherwise appends `byte` to the line.
  ///
  /// It suffices to look at the bytes before: C2 and E2 only ever begin a UTF-8 sequence.
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
