import Foundation
import LoadingModel

/// A terminal without a user: what is drawn on it is kept.
package final class PseudoTerminal: Sendable {
  private let keyboard: Int32
  private let line: Int32
  private let drawn = Mutex(Data())

  /// - Throws: The error of the system call, where there are no pseudo-terminals.
  package init(columns: Int) throws {
    // <asm-generic/ioctls.h>: unlock it, and ask for its number.
    let (unlock, number): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
    keyboard = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
    var isLocked: Int32 = 0
    var index: Int32 = -1
    guard keyboard >= 0, ioctl(keyboard, unlock, &isLocked) == 0, ioctl(keyboard, number, &index) == 0 else {
      let code = errno
      if keyboard >= 0 { close(keyboard) }
      throw NSError(domain: NSPOSIXErrorDomain, code: Int(code))
    }
    line = open("/dev/pts/\(index)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard line >= 0 else {
      let code = errno
      close(keyboard)
      throw NSError(domain: NSPOSIXErrorDomain, code: Int(code))
    }
    resize(columns: columns)
  }

  deinit {
    close(keyboard)
    close(line)
  }

  /// What a program is given as its standard error, input or output.
  package var stream: ChildProcess.StandardStream { .descriptor(line) }

  /// Types `text`; a line ends with a newline.
  package func type(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(keyboard, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  package func resize(columns: Int) {
    var size = winsize(ws_row: 24, ws_col: UInt16(clamping: columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(keyboard, UInt(TIOCSWINSZ), &size)
  }

  /// What has been drawn, from the beginning.
  package var text: String {
    drawn.withLock { drawn in
      var buffer = [UInt8](repeating: 0, count: 64 * 1024)
      var count = read(keyboard, &buffer, buffer.count)
      while count > 0 {
        drawn.append(contentsOf: buffer[..<count])
        count = read(keyboard, &buffer, buffer.count)
      }
      return String(decoding: drawn, as: UTF8.self)
    }
  }

  /// Waits until what is drawn after `offset` characters fulfils a condition. Waits on a thread of its own.
  /// - Returns: What was drawn there; nil if that takes longer than `HangLimit`.
  package func drawing(after offset: Int = 0, _ condition: @escaping @Sendable (Substring) -> Bool) async -> String? {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        let end = HangLimit.end
        while ContinuousClock.now < end {
          let text = self.text.dropFirst(offset)
          if condition(text) { return continuation.resume(returning: String(text)) }
          var event = pollfd(fd: self.keyboard, events: Int16(POLLIN), revents: 0)
          poll(&event, 1, 1000)
        }
        continuation.resume(returning: nil)
      }
    }
  }

  /// The screen of a wide terminal after `text` has been drawn: the few commands that progress is drawn with.
  package static func screen(_ text: String) -> [String] {
    var lines: [[Character]] = [[]]
    var (row, column) = (0, 0)
    var rest = Array(text.replacing("\r\n", with: "\n"))[...]
    while let character = rest.popFirst() {
      switch character {
      case "\r": column = 0
      case "\n":
        (row, column) = (row + 1, 0)
        if row == lines.count { lines.append([]) }
      case "\u{1B}":
        let command = rest.prefix { !$0.isLetter }
        rest = rest.dropFirst(command.count)
        switch rest.popFirst() {
        case "K": lines[row] = Array(lines[row].prefix(column))
        case "J": lines = lines.prefix(row) + [Array(lines[row].prefix(column))]
        case "A": row = max(0, row - (Int(String(command.dropFirst())) ?? 1))
        default: break
        }
      default:
        if column < lines[row].count { lines[row][column] = character } else { lines[row].append(character) }
        column += 1
      }
    }
    return lines.map { String($0) }
  }
}
