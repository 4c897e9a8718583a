import Foundation
import LoadingModel

/// Parses one response head from bytes as they arrive (RFC 9112, 2 to 5).
///
/// Each line is read once. Whatever the grammar forbids is refused, except what RFC 9112 tells a user agent to tolerate: a line that ends with LF
/// alone (2.2), empty lines before the message, a status line without a reason phrase, folded fields (5.2).
package struct ResponseHeadParser {
  package enum Outcome {
    /// The head's end hasn't arrived yet.
    case incomplete
    case complete(ResponseHead)
    case failed(LoadError)
  }

  /// The most bytes of a head; `lineLimit` and `fieldLimit` are the most bytes of one field line, and the most fields.
  package static let lengthLimit = 256 * 1024
  package static let lineLimit = 128 * 1024
  package static let fieldLimit = 4096
  private static let emptyLineLimit = 4

  private var status: Int?
  private var version = ""
  private var reason = ""
  private var entries: [HeaderFields.Entry] = []
  private var known = RepeatedFields()
  private var emptyLines = 0
  /// The number of bytes at the beginning of an unfinished line in which no LF has been found.
  private var scanned = 0
  /// The bytes consumed so far; at the end, the length of the head on the wire.
  package private(set) var length = 0

  package init() {}

  /// Prepares for the next head on the same connection.
  package mutating func beginAgain() {
    var known = RepeatedFields()
    swap(&known, &self.known)
    known.rewind()
    self = ResponseHeadParser()
    self.known = known
  }

  /// Whether no byte of a head has arrived.
  package var isUntouched: Bool { length == 0 && scanned == 0 }

  /// Parses the complete lines at the beginning of `bytes`, and sets `consumed` to their length in bytes. The bytes after them must be offered
  /// again, together with more.
  package mutating func consume(_ bytes: UnsafeRawBufferPointer, _ consumed: inout Int) -> Outcome {
    consumed = 0
    guard let base = bytes.baseAddress else { return .incomplete }
    do throws(LoadError) {
      while true {
        let from = consumed + scanned
        guard let found = memchr(base + from, 0x0A, bytes.count - from) else {
          scanned = bytes.count - consumed
          try checkUnfinished(UnsafeRawBufferPointer(rebasing: bytes[consumed...]))
          return .incomplete
        }
        let end = UnsafeRawPointer(found) - base
        scanned = 0
        let line = UnsafeRawBufferPointer(rebasing: bytes[consumed..<(end > consumed && bytes[end - 1] == 0x0D ? end - 1 : end)])
        length += end + 1 - consumed
        consumed = end + 1
        try checkLength(line.count)
        if line.isEmpty, let head = try finishedByEmptyLine() { return .complete(head) }
        if !line.isEmpty { try take(line) }
      }
    } catch {
      return .failed(error)
    }
  }

  /// Handles an empty line: the end of the head, or one of the few empty lines that may precede it (nil).
  private mutating func finishedByEmptyLine() throws(LoadError) -> ResponseHead? {
    if let status {
      return ResponseHead(status: status, reason: reason, version: version, headers: HeaderFields(takeFields(status)))
    }
    emptyLines += 1
    guard emptyLines <= ResponseHeadParser.emptyLineLimit else { throw ResponseHeadParser.malformed("it begins with empty lines") }
    return nil
  }

  private mutating func takeFields(_ status: Int) -> [HeaderFields.Entry] {
    if known.sharedCount > 0 { return known.takeShared() }
    // The fields are moved out rather than shared, so that parsing the next head doesn't have to release them.
    var fields: [HeaderFields.Entry] = []
    swap(&fields, &entries)
    if status >= 200 { known.keep(fields, length: length) }
    return fields
  }

  private mutating func take(_ line: UnsafeRawBufferPointer) throws(LoadError) {
    if status == nil { try takeStatusLine(line) } else { try takeField(line) }
  }

  // MARK: bounds

  private func checkLength(_ line: Int) throws(LoadError) {
    guard length <= ResponseHeadParser.lengthLimit, line <= ResponseHeadParser.lineLimit else {
      throw LoadError(
        .cannotParseResponse, .head,
        "the response's head is longer than \(ResponseHeadParser.lengthLimit / 1024) KiB, or one of its fields than \(ResponseHeadParser.lineLimit / 1024) KiB"
      )
    }
  }

  /// Checks the beginning of a line that hasn't ended: whether it is too long, or can't be a status line.
  private func checkUnfinished(_ start: UnsafeRawBufferPointer) throws(LoadError) {
    guard length + start.count <= ResponseHeadParser.lengthLimit else {
      return try checkLength(start.count + ResponseHeadParser.lengthLimit)
    }
    try checkLength(start.count)
    guard status == nil else { return }
    let name = "HTTP/".utf8
    guard start.isEmpty || start[0] == 0x0D || zip(start, name).allSatisfy(==) else { throw ResponseHeadParser.notHTTP }
  }

  // MARK: the status line

  /// Parses `HTTP-version SP status-code SP [ reason-phrase ]` (RFC 9112, 4); the second space is often missing where there is no reason.
  private mutating func takeStatusLine(_ line: UnsafeRawBufferPointer) throws(LoadError) {
    guard line.count >= 12, line.starts(with: "HTTP/".utf8) else { throw ResponseHeadParser.notHTTP }
    guard line[5] == UInt8(ascii: "1"), line[6] == UInt8(ascii: "."), let minor = ResponseHeadParser.digit(line[7]), line[8] == 0x20 else {
      throw ResponseHeadParser.malformed("it isn't of version HTTP/1")
    }
    guard let a = ResponseHeadParser.digit(line[9]), let b = ResponseHeadParser.digit(line[10]),
      let c = ResponseHeadParser.digit(line[11]), a > 0, line.count == 12 || line[12] == 0x20
    else { throw ResponseHeadParser.malformed("its status isn't a number of three digits") }
    // RFC 9112, 2.2: a bare CR makes a message invalid. A proxy that takes it for the end of the line would read other fields than this client.
    guard !line.contains(0x0D), !line.contains(0) else { throw ResponseHeadParser.malformed("its status line has a line break or NUL") }
    // RFC 9112, 2.3: a higher minor version is understood as the highest one known.
    version = minor == 0 ? "HTTP/1.0" : "HTTP/1.1"
    status = a * 100 + b * 10 + c
    reason = line.count > 13 ? ResponseHeadParser.text(UnsafeRawBufferPointer(rebasing: line[13...])) : ""
  }

  private static func digit(_ byte: UInt8) -> Int? {
    byte >= 0x30 && byte <= 0x39 ? Int(byte) - 0x30 : nil
  }

  // MARK: fields

  /// Parses `field-name ":" OWS field-value OWS` (RFC 9112, 5).
  private mutating func takeField(_ line: UnsafeRawBufferPointer) throws(LoadError) {
    if line[0] == 0x20 || line[0] == 0x09 { return try unfold(line) }
    guard entries.count < ResponseHeadParser.fieldLimit else {
      throw LoadError(.cannotParseResponse, .head, "the response's head has more than \(ResponseHeadParser.fieldLimit) fields")
    }
    var colon = 0
    while colon < line.count, FieldSyntaxRules.isTokenByte(line[colon]) { colon += 1 }
    // RFC 9112, 5.1: "No whitespace is allowed between the field name and colon."
    guard colon > 0, colon < line.count, line[colon] == UInt8(ascii: ":") else {
      throw ResponseHeadParser.malformed("a field's name has characters that aren't allowed")
    }
    let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
    let value = ResponseHeadParser.trimmed(line, from: colon + 1)
    // What is the same as in the previous head has been checked there.
    if entries.isEmpty, known.shares(name, value) { return }
    takeApart()
    guard let last = known.field(name) else {
      return entries.append((ResponseHeadParser.ascii(name), try ResponseHeadParser.value(value)))
    }
    entries.append((last.name, RepeatedFields.isSame(last.value, value) ? last.value : try ResponseHeadParser.value(value)))
  }

  /// The head differs from the previous one from here on, so that it gets an array of its own.
  private mutating func takeApart() {
    guard entries.isEmpty else { return }
    let shared = known.takeShared()
    entries.reserveCapacity(max(16, shared.count + 1))
    entries.append(contentsOf: shared)
  }

  /// Appends a continuation line to the last field. RFC 9112, 5.2: a user agent "MUST replace each received obs-fold with one or more SP octets".
  private mutating func unfold(_ line: UnsafeRawBufferPointer) throws(LoadError) {
    takeApart()
    guard let last = entries.indices.last else { throw ResponseHeadParser.malformed("its first field begins with a space") }
    let more = try ResponseHeadParser.value(ResponseHeadParser.trimmed(line, from: 0))
    guard !more.isEmpty else { return }
    guard entries[last].value.utf8.count + more.utf8.count <= ResponseHeadParser.lineLimit else {
      return try checkLength(ResponseHeadParser.lineLimit + 1)
    }
    entries[last].value += entries[last].value.isEmpty ? more : " " + more
  }

  /// The bytes from `start` on, without spaces and tabs around them.
  private static func trimmed(_ line: UnsafeRawBufferPointer, from start: Int) -> UnsafeRawBufferPointer {
    var start = start
    var end = line.count
    while start < end, line[start] == 0x20 || line[start] == 0x09 { start += 1 }
    while end > start, line[end - 1] == 0x20 || line[end - 1] == 0x09 { end -= 1 }
    return UnsafeRawBufferPointer(rebasing: line[start..<end])
  }

  private static func value(_ bytes: UnsafeRawBufferPointer) throws(LoadError) -> String {
    // RFC 9110, 5.5: CR, LF and NUL "are invalid and dangerous"; a recipient "MAY retain" other control characters, as browsers and curl do.
    var isDangerous = false
    for byte in bytes { isDangerous = isDangerous || byte == 0x0D || byte == 0x0A || byte == 0 }
    guard !isDangerous else { throw malformed("a field's value has a line break or NUL") }
    return text(bytes)
  }

  /// The text as UTF-8, or if it isn't valid, as ISO 8859-1: no standard says what field values may hold besides ASCII, and both are in use (RFC
  /// 9110, 5.5).
  package static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    var all: UInt8 = 0
    for byte in bytes { all |= byte }
    if all < 0x80 { return ascii(bytes) }
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  /// The fastest way to a string from ASCII: general validation costs more than all other work on a line.
  private static func ascii(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes.bindMemory(to: UInt8.self), as: UTF8.self)
  }

  // MARK: errors

  private static var notHTTP: LoadError {
    LoadError(.cannotParseResponse, .head, "the server's answer isn't HTTP/1; check scheme and port")
  }

  private static func malformed(_ what: String) -> LoadError {
    LoadError(.cannotParseResponse, .head, "the server's answer is not well-formed HTTP: \(what)")
  }
}
