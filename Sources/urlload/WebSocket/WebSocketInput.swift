import Foundation

/// One piece of the user's input to a WebSocket session.
enum WebSocketInput: Sendable, Equatable {
  case text(String)
  case bytes(Data)
  case ping
  case close(code: Int, reason: String)
  /// An input that can't be sent, with the reason.
  case refused(String)

  /// Parses a line.
  /// - Parameter takesCommands: Whether lines that begin with a slash are commands, such as "/ping".
  init(_ line: some Collection<UInt8>, takesCommands: Bool) {
    guard let text = String(validating: line, as: UTF8.self) else {
      self = .refused("a line isn't UTF-8, so it isn't sent; --binary sends any bytes")
      return
    }
    guard takesCommands, text.hasPrefix("/") else {
      self = .text(text)
      return
    }
    let words = text.dropFirst().split(separator: " ", maxSplits: 2)
    switch words.first {
    case "ping"? where words.count == 1: self = .ping
    case "close"?:
      let code = words.count > 1 ? Int(words[1]) : 1000
      // The codes that an application may send (RFC 6455, 7.4).
      guard let code, code == 1000 || 3000...4999 ~= code else {
        self = .refused("/close takes a code of 1000 or 3000 to 4999, and then a reason")
        return
      }
      self = .close(code: code, reason: words.count > 2 ? String(words[2]) : "")
    default:
      guard text.hasPrefix("//") else {
        self = .refused("there is no such command: /ping, /close [CODE [REASON]], and // before a text that begins with /")
        return
      }
      self = .text(String(text.dropFirst()))
    }
  }
}

/// Reads standard input piece by piece, or line by line. Used by one thread.
struct WebSocketInputReader {
  /// Longest line in bytes; a longer one is refused.
  private static let longestLine = 64 << 20
  private static let pieceSize = 64 * 1024

  private let content: WebSocketOptions.Content
  private let descriptor: Int32
  private let takesCommands: Bool
  private var rest: [UInt8] = []
  /// Index in `rest` at which the next line begins, and the index up to which no line break was found.
  private var (start, searched) = (0, 0)
  private var isDropping = false

  init(_ content: WebSocketOptions.Content, from descriptor: Int32) {
    self.content = content
    self.descriptor = descriptor
    takesCommands = content == .lines && isatty(descriptor) == 1
  }

  /// The next input; nil at the end. Blocks.
  mutating func next() -> WebSocketInput? {
    switch content {
    case .bytes: read().map { .bytes(Data($0)) }
    case .lines: nextLine()
    }
  }

  private mutating func nextLine() -> WebSocketInput? {
    while true {
      if let end = rest[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = rest[start..<end]
        (start, searched) = (end + 1, end + 1)
        guard isDropping else {
          return WebSocketInput(line.last == UInt8(ascii: "\r") ? line.dropLast() : line, takesCommands: takesCommands)
        }
        isDropping = false
        continue
      }
      rest.removeFirst(start)
      start = 0
      if rest.count > WebSocketInputReader.longestLine {
        (rest, searched) = ([], 0)
        if !isDropping {
          isDropping = true
          return .refused("a line has more than \(WebSocketInputReader.longestLine >> 20) MiB, so it isn't sent; --binary sends any bytes")
        }
      }
      searched = rest.count
      guard let more = read() else {
        defer { (rest, searched) = ([], 0) }
        return rest.isEmpty || isDropping ? nil : WebSocketInput(rest, takesCommands: takesCommands)
      }
      rest += more
    }
  }

  /// Reads some bytes; nil at the end. Blocks.
  private func read() -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: WebSocketInputReader.pieceSize) { buffer, count in
      var got = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
      while got < 0, errno == EINTR || errno == EAGAIN {
        // A program that shares the terminal or pipe may have made it non-blocking.
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&ready, 1, -1)
        got = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
      }
      count = max(0, got)
    }
    return bytes.isEmpty ? nil : bytes
  }
}
