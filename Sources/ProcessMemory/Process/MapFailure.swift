/// Why the memory map of a process can't be read.
package enum MapFailure: Error, Sendable, Equatable {
  /// There is no process with this ID.
  case absent(Int32)
  /// The process has ended, but its parent hasn't waited for it yet (a zombie).
  case ended(Int32)
  /// The process is a kernel thread, which has no memory of its own.
  case kernelThread(Int32, name: String)
  /// The process belongs to another user, or tracing is restricted.
  case forbidden(Int32)
  /// A file in /proc can't be read, with the system's error number.
  case unreadable(path: String, code: Int32)
}
