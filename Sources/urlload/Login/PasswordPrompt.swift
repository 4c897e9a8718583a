import Foundation

/// Asks for a password at the terminal, without showing it.
enum PasswordPrompt {
  /// - Throws: If there is no terminal.
  static func ask(for user: String) throws(ToolFailure) -> String {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else {
      throw ToolFailure(.loginDenied, "there is no terminal to ask for the password at; give it as -u user:password")
    }
    defer { close(terminal) }
    _ = Descriptor.writeAll(Data("Password for \(Printable.text(user)): ".utf8), to: terminal)
    var shown = termios()
    guard tcgetattr(terminal, &shown) == 0 else {
      throw ToolFailure(.loginDenied, "the terminal can't hide a password (\(SystemMessage.text(errno))); give it as -u user:password")
    }
    var hidden = shown
    hidden.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(terminal, TCSAFLUSH, &hidden)
    defer {
      tcsetattr(terminal, TCSAFLUSH, &shown)
      _ = Descriptor.writeAll(Data("\n".utf8), to: terminal)
    }
    return readLine(from: terminal)
  }

  private static func readLine(from descriptor: Int32) -> String {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while line.count < 4096, read(descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
    return String(decoding: line, as: UTF8.self)
  }
}
