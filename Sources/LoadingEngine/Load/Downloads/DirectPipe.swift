import CLoadingProcess
import LoadingModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// A pipe through which the kernel moves bytes from a socket into a file (`splice`).
///
/// It is filled and emptied in turn, never at the same time: while a thread empties a pipe into a file, it holds the pipe's lock for as long as
/// the disk takes, and an event loop that filled it would wait. Meanwhile bytes gather in the socket; moving more of them at a time costs less.
final class DirectPipe: Sendable {
  /// The number of bytes that the pipe holds: the most that an unprivileged user's pipe may.
  static let capacity = 1024 * 1024

  /// The most pipes of this process: the kernel limits what a user may have in all pipes to 64 MiB, and other processes need some.
  private static let limit = 16
  private static let living = Mutex(0)

  /// The file descriptors of the pipe's two ends: bytes are read from `output`, and written to `input`.
  let (output, input): (CInt, CInt)

  /// Nil if this process has `limit` pipes already, or the kernel refuses one.
  init?() {
    let isOne = DirectPipe.living.withLock { living in
      guard living < DirectPipe.limit else { return false }
      living += 1
      return true
    }
    guard isOne else { return nil }
    var ends: [CInt] = [-1, -1]
    guard uls_pipe_open(&ends, DirectPipe.capacity) == 0 else {
      DirectPipe.living.withLock { $0 -= 1 }
      return nil
    }
    (output, input) = (ends[0], ends[1])
  }

  deinit {
    close(output)
    close(input)
    DirectPipe.living.withLock { $0 -= 1 }
  }
}
