/// Why a process's memory can't be shown.
package enum MapFailure: Error, Sendable, Equatable {
  /// There is no process with this number.
  case absent(Int32)
  /// The process has ended; its parent hasn't asked for its status yet (a zombie).
  case ended(Int32)
  /// It is a thread of the kernel, which has no memory of its own.
  case kernelThread(Int32, name: String)
  /// The process belongs to another user, or tracing is restricted.
  case forbidden(Int32)
  /// A file of /proc can't be read, with the system's error number.
  case unreadable(path: String, code: Int32)
}
