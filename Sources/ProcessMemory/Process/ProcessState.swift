/// The state of a process from /proc/PID/stat, which is checked before its memory is read. A value.
package struct ProcessState: Sendable, Equatable {
  package var name: String
  /// The state as the letter of proc(5): R, S, D, Z, T and so on.
  package var state: Character
  /// The kernel's flags of the process (`PF_…`).
  package var flags: UInt64

  /// Parses the text of the file; nil if it isn't valid.
  package init?(stat text: String) {
    // The name may contain spaces and parentheses; the last parenthesis ends it.
    guard let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")"), open < close else { return nil }
    let fields = text[text.index(after: close)...].split(separator: " ")
    guard fields.count > 6, let state = fields[0].first, let flags = UInt64(fields[6]) else { return nil }
    name = String(text[text.index(after: open)..<close])
    self.state = state
    self.flags = flags
  }

  /// Whether the process has ended; a zombie, whose parent hasn't waited for it yet, counts as ended.
  package var hasEnded: Bool { state == "Z" || state == "X" || state == "x" }

  /// Whether the process is a kernel thread (PF_KTHREAD), which has no memory of its own.
  package var isKernelThread: Bool { flags & 0x0020_0000 != 0 }
}
