import Foundation
import LoadingModel

/// Parses a body of the type multipart/x-mixed-replace: says where its parts begin, and where their data lies in the bytes it is given. Keeps no
/// data itself.
///
///     preamble -> head -> data -> head -> data … -> ended
///
/// The syntax is RFC 2046's (5.1.1), read as browsers do: lines may end with LF alone, a delimiter need not follow a line end, a boundary that
/// the server names together with its two dashes is understood, and the body may end without the closing delimiter.
package struct MixedReplaceParser: Sendable {
  package enum Outcome {
    /// The first `consumed` bytes are done with; the bytes after them must be offered again, together with more.
    case incomplete(consumed: Int)
    /// The head of a part ended with the `consumed`th byte.
    case part(HeaderFields, consumed: Int)
    /// After `skip` bytes come `count` bytes of the part's data.
    case data(skip: Int, count: Int)
    /// The closing delimiter has come: all bytes after it are ignored.
    case ended
  }

  private enum State {
    case preamble
    case head
    case data
    case ended
  }

  /// The result of a search for a delimiter in bytes that may continue.
  private enum Found {
    case none
    /// A complete delimiter; `start` is the index of the line end before it, which belongs to it.
    case delimiter(start: Int, end: Int, isLast: Bool)
    /// From `start` on, the bytes may be a delimiter's beginning: more bytes have to decide.
    case perhaps(start: Int)
  }

  /// The most bytes of a part's head.
  package static let headLimit = 64 * 1024
  private static let fieldLimit = 1000
  /// The most bytes of a boundary. RFC 2046, 5.1.1 allows 70 characters; servers that exceed them are understood.
  private static let boundaryLimit = 256
  /// The most bytes of white space between a boundary and its line end.
  private static let paddingLimit = 1024

  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")
  private static let dash = UInt8(ascii: "-")

  private let delimiter: [UInt8]
  /// Whether the boundary was named with two dashes at its beginning, which may be its own, or already those of the delimiter.
  private let hasOwnDashes: Bool
  private var state = State.preamble
  private var fields: [HeaderFields.Entry] = []
  private var headLength = 0
  /// The number of bytes at the beginning of an unfinished line of the head in which no LF has been found.
  private var scanned = 0

  /// Nil if `Content-Type` isn't multipart/x-mixed-replace, or has no boundary.
  package init?(_ headers: HeaderFields) {
    // A short cut: the types of most responses are shorter, and aren't parsed.
    guard let text = headers.joined("Content-Type"), text.utf8.count >= "multipart/x-mixed-replace;boundary=x".utf8.count,
      let type = MIMEType.named(by: headers), type.essence == "multipart/x-mixed-replace", let boundary = type.parameter("boundary")
    else { return nil }
    self.init(boundary: boundary)
  }

  /// Nil if the boundary is empty, too long, or has control characters.
  package init?(boundary: String) {
    let boundary = Array(boundary.utf8)
    guard !boundary.isEmpty, boundary.count <= MixedReplaceParser.boundaryLimit, !boundary.contains(where: { $0 < 0x20 }) else {
      return nil
    }
    hasOwnDashes = boundary.starts(with: "--".utf8)
    delimiter = hasOwnDashes ? boundary : Array("--".utf8) + boundary
  }

  /// Parses the beginning of `bytes`. To be called again after each `part` and `data`, with the bytes after it.
  package mutating func consume(_ bytes: UnsafeRawBufferPointer) throws(LoadError) -> Outcome {
    switch state {
    case .preamble: return try consumePreamble(bytes)
    case .head: return try consumeHead(bytes, from: 0)
    case .data:
      switch find(in: bytes) {
      case .none: return bytes.isEmpty ? .incomplete(consumed: 0) : .data(skip: 0, count: bytes.count)
      case .perhaps(let start), .delimiter(let start, _, _):
        if start > 0 { return .data(skip: 0, count: start) }
      }
      guard case .delimiter(_, let end, let isLast) = find(in: bytes) else { return .incomplete(consumed: 0) }
      guard begin(isLast) else { return .ended }
      return try consumeHead(bytes, from: end)
    case .ended: return .ended
    }
  }

  /// How many of the `unread` last bytes are data of a part, when the body has ended without a closing delimiter.
  package func rest(_ unread: Int) -> Int {
    switch state {
    case .data: unread
    case .preamble, .head, .ended: 0
    }
  }

  /// RFC 2046, 5.1.1: what precedes the first delimiter "is to be ignored".
  private mutating func consumePreamble(_ bytes: UnsafeRawBufferPointer) throws(LoadError) -> Outcome {
    switch find(in: bytes) {
    case .none: return .incomplete(consumed: bytes.count)
    case .perhaps(let start): return .incomplete(consumed: start)
    case .delimiter(_, let end, let isLast): return begin(isLast) ? try consumeHead(bytes, from: end) : .ended
    }
  }

  /// Enters the state after a delimiter. Returns whether a part follows: not after the closing one.
  private mutating func begin(_ isLast: Bool) -> Bool {
    state = isLast ? .ended : .head
    return !isLast
  }

  // MARK: delimiters

  private func find(in bytes: UnsafeRawBufferPointer) -> Found {
    guard let base = bytes.baseAddress else { return .none }
    var from = 0
    while from < bytes.count, let found = memchr(base + from, Int32(MixedReplaceParser.dash), bytes.count - from) {
      let at = UnsafeRawPointer(found) - base
      // The bytes from `at` on must equal the delimiter, as far as they have arrived.
      guard memcmp(found, delimiter, min(delimiter.count, bytes.count - at)) == 0 else {
        from = at + 1
        continue
      }
      guard bytes.count - at >= delimiter.count else { return .perhaps(start: start(bytes, ofDelimiterAt: at)) }
      switch ending(bytes, behind: at + delimiter.count) {
      case .none: from = at + 1
      case .perhaps: return .perhaps(start: start(bytes, ofDelimiterAt: at))
      case .delimiter(_, let end, let isLast): return .delimiter(start: start(bytes, ofDelimiterAt: at), end: end, isLast: isLast)
      }
    }
    // The last bytes may be the line end that precedes a delimiter.
    let start = start(bytes, ofDelimiterAt: bytes.count)
    return start < bytes.count ? .perhaps(start: start) : .none
  }

  /// Checks what follows a boundary: a delimiter ends with white space and a line end, the closing one with two dashes.
  private func ending(_ bytes: UnsafeRawBufferPointer, behind index: Int) -> Found {
    var index = index
    guard index < bytes.count else { return .perhaps(start: index) }
    if bytes[index] == MixedReplaceParser.dash {
      guard index + 1 < bytes.count else { return .perhaps(start: index) }
      return bytes[index + 1] == MixedReplaceParser.dash ? .delimiter(start: index, end: index + 2, isLast: true) : .none
    }
    let limit = index + MixedReplaceParser.paddingLimit
    while index < bytes.count, index < limit, bytes[index] == 0x20 || bytes[index] == 0x09 { index += 1 }
    guard index < bytes.count else { return .perhaps(start: index) }
    if bytes[index] == MixedReplaceParser.carriageReturn {
      index += 1
      guard index < bytes.count else { return .perhaps(start: index) }
    }
    return bytes[index] == MixedReplaceParser.lineFeed ? .delimiter(start: index, end: index + 1, isLast: false) : .none
  }

  /// Where the delimiter at `index` begins. RFC 2046, 5.1.1: the line end before a delimiter is part of it, and not of the data.
  private func start(_ bytes: UnsafeRawBufferPointer, ofDelimiterAt index: Int) -> Int {
    var start = index
    if hasOwnDashes {
      var line = start
      while line > 0, start - line < 2, bytes[line - 1] == MixedReplaceParser.dash { line -= 1 }
      // At the end of the bytes so far, dashes may be the first ones of a delimiter; elsewhere they must be the first of their line.
      if line < start, line == 0 || bytes[line - 1] == MixedReplaceParser.lineFeed { start = line }
    }
    if start > 0, bytes[start - 1] == MixedReplaceParser.lineFeed { start -= 1 } else if start < bytes.count { return start }
    if start > 0, bytes[start - 1] == MixedReplaceParser.carriageReturn { start -= 1 }
    return start
  }

  // MARK: heads

  private mutating func consumeHead(_ bytes: UnsafeRawBufferPointer, from start: Int) throws(LoadError) -> Outcome {
    var consumed = start
    while let base = bytes.baseAddress, consumed + scanned < bytes.count {
      let from = consumed + scanned
      guard let found = memchr(base + from, Int32(MixedReplaceParser.lineFeed), bytes.count - from) else { break }
      let end = UnsafeRawPointer(found) - base
      let hasReturn = end > consumed && bytes[end - 1] == MixedReplaceParser.carriageReturn
      let line = UnsafeRawBufferPointer(rebasing: bytes[consumed..<(hasReturn ? end - 1 : end)])
      headLength += end + 1 - consumed
      (consumed, scanned) = (end + 1, 0)
      try checkHead()
      guard line.isEmpty else {
        take(line)
        continue
      }
      let head = HeaderFields(fields)
      (fields, headLength, state) = ([], 0, .data)
      return .part(head, consumed: consumed)
    }
    scanned = bytes.count - consumed
    try checkHead()
    return .incomplete(consumed: consumed)
  }

  private func checkHead() throws(LoadError) {
    guard headLength + scanned <= MixedReplaceParser.headLimit, fields.count <= MixedReplaceParser.fieldLimit else {
      throw LoadError(
        .cannotParseResponse, .body,
        "the head of a part of the response's body is longer than \(MixedReplaceParser.headLimit / 1024) KiB, or has too many fields")
    }
  }

  /// Parses a line of a part's head. It is left out if it isn't a field, or if another recipient could read it differently (a bare CR or NUL).
  private mutating func take(_ line: UnsafeRawBufferPointer) {
    guard !line.contains(MixedReplaceParser.carriageReturn), !line.contains(0) else { return }
    if line[0] == 0x20 || line[0] == 0x09 {
      guard let last = fields.indices.last else { return }
      return fields[last].value += " " + ResponseHeadParser.text(line).trimmingSpaces()
    }
    if let field = TrailerRules.field(line) { fields.append(field) }
  }
}
