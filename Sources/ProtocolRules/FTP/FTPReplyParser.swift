import LoadingModel

/// Parses the replies on a control connection (RFC 959, 4.2), within limits. A value without I/O: bytes in, replies out.
package struct FTPReplyParser: Sendable {
  /// The most bytes of one line; `replyLimit` is that of one reply.
  package static let lineLimit = 8 * 1024
  package static let replyLimit = 128 * 1024

  private var line: [UInt8] = []
  private var replyBytes = 0
  /// The code and the lines so far of a reply of several lines that isn't complete; nil between replies.
  private var open: (code: Int, lines: [String])?
  private var replies: [FTPReply] = []
  private var failure: LoadError?
  /// The most complete replies that may wait to be taken: a server sends one for each command.
  private static let waitingLimit = 16

  package init() {}

  /// Adds bytes that have arrived. If they are malformed, `next` throws the error.
  package mutating func append(_ bytes: some Sequence<UInt8>) {
    for byte in bytes where failure == nil {
      if byte == UInt8(ascii: "\n") {
        endLine()
      } else {
        line.append(byte)
        replyBytes += 1
        if line.count > FTPReplyParser.lineLimit || replyBytes > FTPReplyParser.replyLimit { fail("a reply that is too long") }
      }
    }
  }

  /// The oldest reply that is complete; nil if there is none.
  package mutating func next() throws(LoadError) -> FTPReply? {
    if !replies.isEmpty { return replies.removeFirst() }
    if let failure { throw failure }
    return nil
  }

  /// Whether all bytes that have arrived have been taken as replies.
  package var isEmpty: Bool { line.isEmpty && open == nil && replies.isEmpty && failure == nil }

  private mutating func endLine() {
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    let bytes = line
    line = []
    replyBytes += 1
    if let current = open {
      // RFC 959, 4.2: "… must terminate with the same code, followed by <SP>". Any other line that begins with digits is text.
      let ends = FTPReplyParser.code(bytes) == current.code && (bytes.count == 3 || bytes[3] == 0x20)
      open?.lines.append(FTPReplyParser.text(ends ? bytes.dropFirst(4) : bytes[...]))
      if ends, let done = open { finish(done.code, done.lines) }
      return
    }
    guard let code = FTPReplyParser.code(bytes) else { return fail("something that isn't an FTP reply") }
    let text = FTPReplyParser.text(bytes.dropFirst(4))
    switch bytes.dropFirst(3).first {
    case nil, 0x20: finish(code, [text])
    case UInt8(ascii: "-"): open = (code, [text])
    default: fail("something that isn't an FTP reply")
    }
  }

  private mutating func finish(_ code: Int, _ lines: [String]) {
    open = nil
    replyBytes = 0
    guard replies.count < FTPReplyParser.waitingLimit else { return fail("unsolicited replies") }
    replies.append(FTPReply(code: code, lines: lines))
  }

  private mutating func fail(_ what: String) {
    failure = LoadError(.cannotParseResponse, .head, "the server sent \(what); check that the port speaks FTP")
    line = []
    open = nil
  }

  private static func code(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= 3, (0x31...0x35).contains(bytes[0]), bytes[1...2].allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(bytes[0] - 0x30) * 100 + Int(bytes[1] - 0x30) * 10 + Int(bytes[2] - 0x30)
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
