import Foundation

/// Splits bytes into lines that end with LF or CR LF, and numbers them. A value without I/O.
///
/// ```
/// refill(chunk) ► nextLine() ─► line?    until nil
///                 finish()   ─► line?    at the end: what no LF closed
/// ```
/// Lines of white space alone are left out, but numbered. A byte order mark before the first line is removed.
package struct LineCutter: Sendable {
  /// A line, without its end.
  package struct Line: Sendable, Hashable {
    /// The line's number in the stream, beginning with 1.
    package var number: Int
    package var content: Data
  }

  /// A line is longer than the limit.
  package struct TooLong: Error, Sendable {
    package let line: Int
  }

  private static let lineFeed: UInt8 = 0x0A
  private static let carriageReturn: UInt8 = 0x0D

  /// The number of lines whose end has been seen.
  private var count = 0
  private let limit: Int
  private var chunk = Data()
  /// The beginning of a line whose end hasn't arrived yet.
  private var begun = Data()

  /// - Parameter limit: The most bytes that a line may have, without its line end.
  package init(limit: Int) { self.limit = limit }

  /// Replaces the chunk to split; the last one must have been split to its end.
  package mutating func refill(_ chunk: Data) { self.chunk = chunk }

  /// The next line in the chunk; nil when no line ends in the rest of it.
  package mutating func nextLine() throws(TooLong) -> Line? {
    while let end = LineCutter.endOfLine(in: chunk) {
      let piece = chunk[..<end]
      chunk = chunk[(end + 1)...]
      if let line = try take(piece) { return line }
    }
    begun.append(chunk)
    chunk = Data()
    // One byte more than the limit may wait: a CR whose LF may follow.
    guard begun.count - 1 <= limit else { throw TooLong(line: count + 1) }
    return nil
  }

  /// The last line if the stream ended without a line end; nil if there is none.
  package mutating func finish() throws(TooLong) -> Line? { begun.isEmpty ? nil : try take(Data()) }

  /// The index of the first LF. `memchr` is used because `Data.firstIndex(of:)` compares byte by byte.
  private static func endOfLine(in chunk: Data) -> Data.Index? {
    chunk.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, let found = memchr(start, Int32(lineFeed), bytes.count) else { return nil }
      return chunk.startIndex + (UnsafeRawPointer(found) - start)
    }
  }

  private mutating func take(_ end: Data) throws(TooLong) -> Line? {
    var content = end
    if !begun.isEmpty {
      content = begun + end
      begun = Data()
    }
    count += 1
    if count == 1, content.starts(with: [0xEF, 0xBB, 0xBF]) { content = content.dropFirst(3) }
    if content.last == LineCutter.carriageReturn { content = content.dropLast() }
    guard content.count <= limit else { throw TooLong(line: count) }
    guard !content.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == LineCutter.carriageReturn }) else { return nil }
    return Line(number: count, content: content)
  }
}
