import Foundation

/// Asks for a password at the terminal, without showing it.
enum PasswordPrompt {
  /// - Throws: If there is no terminal, or no password was typed.
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
    // Ctrl-C and Ctrl-\ end the line instead of the process, which would otherwise leave the terminal without echo.
    let (interrupt, quit) = withUnsafeBytes(of: shown.c_cc) { ($0[Int(VINTR)], $0[Int(VQUIT)]) }
    var hidden = shown
    hidden.c_lflag &= ~tcflag_t(ECHO | ISIG)
    withUnsafeMutableBytes(of: &hidden.c_cc) { keys in
      (keys[Int(VEOL)], keys[Int(VEOL2)]) = (interrupt, quit)
      // Ctrl-Z doesn't suspend the process, for the same reason.
      keys[Int(VSUSP)] = 0
    }
    tcsetattr(terminal, TCSAFLUSH, &hidden)
    let line = readLine(from: terminal, to: [UInt8(ascii: "\n"), interrupt, quit])
    tcsetattr(terminal, TCSAFLUSH, &shown)
    _ = Descriptor.writeAll(Data("\n".utf8), to: terminal)
    if let end = line.last, end != 0, end == interrupt || end == quit {
      // The signal goes to the whole process group, as the terminal would send it.
      kill(0, end == interrupt ? SIGINT : SIGQUIT)
      throw ToolFailure(.loginDenied, "no password was given")
    }
    return String(decoding: line.last == UInt8(ascii: "\n") ? line.dropLast() : line[...], as: UTF8.self)
  }

  /// The bytes up to the first of `ends`, with it; or up to the end of the terminal's input.
  private static func readLine(from descriptor: Int32, to ends: Set<UInt8>) -> [UInt8] {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while line.count < 4096, read(descriptor, &byte, 1) == 1 {
      line.append(byte)
      if ends.contains(byte) { break }
    }
    return line
  }
}
