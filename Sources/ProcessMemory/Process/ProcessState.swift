/// What /proc/PID/stat says of a process before its memory is read. A value.
package struct ProcessState: Sendable, Equatable {
  package var name: String
  /// The letter of proc(5): R, S, D, Z, T, …
  package var state: Character
  /// The task's flags of the kernel.
  package var flags: UInt64

  /// From the text of the file; nil if it is none.
  package init?(stat text: String) {
    // The name may contain spaces and parentheses; the last parenthesis ends it.
    guard let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")"), open < close else { return nil }
    let fields = text[text.index(after: close)...].split(separator: " ")
    guard fields.count > 6, let state = fields[0].first, let flags = UInt64(fields[6]) else { return nil }
    name = String(text[text.index(after: open)..<close])
    self.state = state
    self.flags = flags
  }

  /// Whether it has ended, and its parent hasn't asked for its status yet.
  package var hasEnded: Bool { state == "Z" || state == "X" || state == "x" }

  /// Whether it is a thread of the kernel (PF_KTHREAD): it has no memory of its own.
  package var isKernelThread: Bool { flags & 0x0020_0000 != 0 }
}
