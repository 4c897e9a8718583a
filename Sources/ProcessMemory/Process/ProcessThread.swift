/// A thread of a process. A value.
package struct ProcessThread: Sendable, Equatable {
  /// The kernel's number; the main thread has that of the process.
  package var id: Int32
  /// The name in /proc/PID/task/TID/comm: that of the program, unless the thread was given one.
  package var name: String
  /// Where its stack ends at present; nil where the kernel doesn't tell: the thread runs, or the process may not be traced.
  package var stackPointer: UInt64?

  package init(id: Int32, name: String, stackPointer: UInt64? = nil) {
    self.id = id
    self.name = name
    self.stackPointer = stackPointer
  }

  /// The stack pointer in the text of /proc/PID/task/TID/syscall: the word before the last. `running` has none.
  package static func stackPointer(inSyscall text: some StringProtocol) -> UInt64? {
    let words = text.split(whereSeparator: \.isWhitespace)
    // "-1 SP PC" where the thread waits outside a system call, otherwise the number and six arguments before them.
    guard words.count == 3 || words.count == 9 else { return nil }
    let word = words[words.count - 2]
    guard word.hasPrefix("0x"), let address = UInt64(word.dropFirst(2), radix: 16), address > 0 else { return nil }
    return address
  }
}
