/// A thread of a process. A value.
package struct ProcessThread: Sendable, Equatable {
  /// The kernel's thread ID; the main thread has that of the process.
  package var id: Int32
  /// The thread's name from /proc/PID/task/TID/comm: the program's name, unless the thread has set another.
  package var name: String
  /// The thread's stack pointer; nil if the kernel doesn't tell it, because the thread is running or the process may not be traced.
  package var stackPointer: UInt64?

  package init(id: Int32, name: String, stackPointer: UInt64? = nil) {
    self.id = id
    self.name = name
    self.stackPointer = stackPointer
  }

  /// The stack pointer from the text of /proc/PID/task/TID/syscall: its last word but one. Nil if the text is `running`.
  package static func stackPointer(inSyscall text: some StringProtocol) -> UInt64? {
    let words = text.split(whereSeparator: \.isWhitespace)
    // The text is "-1 SP PC" if the thread waits outside of a system call; otherwise the call's number and six arguments precede SP and PC.
    guard words.count == 3 || words.count == 9 else { return nil }
    let word = words[words.count - 2]
    guard word.hasPrefix("0x"), let address = UInt64(word.dropFirst(2), radix: 16), address > 0 else { return nil }
    return address
  }
}
