import Foundation
import LoadingModel

/// Parses the chunked transfer coding (RFC 9112, 7.1): says where the body's data lies in the bytes it is given. Keeps no bytes itself.
///
///     size -> data -> data's line end -> size … -> size 0 -> trailers -> ended
package struct ChunkedBodyParser {
  package enum Outcome {
    /// The first `consumed` bytes are done with; the bytes after them must be offered again, together with more.
    case incomplete(consumed: Int)
    /// After `skip` bytes of framing come `count` bytes of the body.
    case data(skip: Int, count: Int)
    /// The body ended with the `consumed`th byte.
    case ended(consumed: Int)
    case failed(LoadError)
  }

  private enum State {
    case size
    case data(UInt64)
    case dataEnd
    case trailers
    case ended
  }

  /// The most bytes of one line: a chunk's size with its extensions, or a trailer field.
  private static let lineLimit = 16 * 1024
  /// The most bytes of chunk extensions and leading zeros in a whole body (RFC 9112, 7.1.1: "ought to limit the total length of chunk
  /// extensions").
  private static let overheadLimit = 16 * 1024
  private static let trailerLimit = 128 * 1024

  private var state = State.size
  private var scanned = 0
  private var trailerLength = 0
  /// The fields of the trailer section, complete once the body has ended.
  package private(set) var trailers: [HeaderFields.Entry] = []
  private var overhead = 0

  package init() {}

  /// Parses the beginning of `bytes`. To be called again after each `data`, with the bytes after it.
  package mutating func consume(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    var consumed = 0
    do throws(LoadError) {
      while true {
        switch state {
        case .data(let left):
          let count = min(left, UInt64(bytes.count - consumed))
          guard count > 0 else { return .incomplete(consumed: consumed) }
          state = count == left ? .dataEnd : .data(left - count)
          return .data(skip: consumed, count: Int(count))
        case .ended: return .ended(consumed: consumed)
        case .size, .dataEnd, .trailers:
          guard let line = try line(bytes, &consumed) else { return .incomplete(consumed: consumed) }
          try take(line)
        }
      }
    } catch {
      return .failed(error)
    }
  }

  /// The next complete line without its end; nil if more bytes must come.
  private mutating func line(_ bytes: UnsafeRawBufferPointer, _ consumed: inout Int) throws(LoadError) -> UnsafeRawBufferPointer? {
    let from = consumed + scanned
    guard from < bytes.count, let base = bytes.baseAddress, let found = memchr(base + from, 0x0A, bytes.count - from) else {
      scanned = bytes.count - consumed
      guard scanned <= ChunkedBodyParser.lineLimit else { throw ChunkedBodyParser.malformed("a line in it is too long") }
      return nil
    }
    let end = UnsafeRawPointer(found) - base
    let line = UnsafeRawBufferPointer(rebasing: bytes[consumed..<(end > consumed && bytes[end - 1] == 0x0D ? end - 1 : end)])
    scanned = 0
    consumed = end + 1
    guard line.count <= ChunkedBodyParser.lineLimit else { throw ChunkedBodyParser.malformed("a line in it is too long") }
    return line
  }

  private mutating func take(_ line: UnsafeRawBufferPointer) throws(LoadError) {
    switch state {
    case .size:
      overhead += max(0, line.count - 16)
      guard overhead <= ChunkedBodyParser.overheadLimit else { throw ChunkedBodyParser.malformed("its chunks have too long extensions") }
      let size = try ChunkedBodyParser.size(line)
      state = size == 0 ? .trailers : .data(size)
    case .dataEnd:
      guard line.isEmpty else { throw ChunkedBodyParser.malformed("a chunk is longer than its size says") }
      state = .size
    case .trailers:
      trailerLength += line.count
      guard trailerLength <= ChunkedBodyParser.trailerLimit else { throw ChunkedBodyParser.malformed("its trailer section is too long") }
      // RFC 9110, 5.5: CR, LF and NUL "are invalid and dangerous", in trailers as well.
      let isDangerous = line.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 }
      guard !isDangerous else { throw ChunkedBodyParser.malformed("its trailer section has a line break or NUL within a field") }
      if line.isEmpty {
        state = .ended
      } else if let field = TrailerRules.field(line) {
        trailers.append(field)
      }
    case .data, .ended: break
    }
  }

  /// Parses `chunk-size [ chunk-ext ]`: extensions are ignored (RFC 9112, 7.1.1), and so are spaces before them, with which some servers pad.
  private static func size(_ line: UnsafeRawBufferPointer) throws(LoadError) -> UInt64 {
    var size: UInt64 = 0
    var index = 0
    while index < line.count, let digit = hexadecimal(line[index]) {
      // RFC 9112, 7.1: "A recipient MUST anticipate potentially large hexadecimal numerals and prevent parsing errors due to integer conversion".
      guard size <= UInt64(Int64.max) >> 4 else { throw malformed("a chunk's size is beyond all bounds") }
      size = size << 4 | UInt64(digit)
      index += 1
    }
    guard index > 0 else { throw malformed("a chunk's size isn't a hexadecimal number") }
    while index < line.count, line[index] == 0x20 || line[index] == 0x09 { index += 1 }
    guard index == line.count || line[index] == UInt8(ascii: ";") else { throw malformed("a chunk's size isn't a hexadecimal number") }
    return size
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }

  private static func malformed(_ what: String) -> LoadError {
    LoadError(.cannotParseResponse, .body, "the response's chunked body is not well-formed: \(what)")
  }
}
