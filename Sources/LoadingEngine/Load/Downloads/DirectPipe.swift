import CLoadingProcess
import LoadingModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// A pipe through which the system moves bytes from a socket into a file.
///
/// Filled and emptied in turn, never both at once: a thread that empties a pipe into a file holds its lock for as long as the disk takes,
/// and an event loop that filled it meanwhile would wait. Until then bytes gather in the socket, and the more of them are moved at once,
/// the less it costs.
final class DirectPipe: Sendable {
  /// Bytes it holds: the most that an ordinary user's pipe may.
  static let capacity = 1024 * 1024

  /// The system bounds what a user may have in pipes, 64 MiB in all: others need some as well.
  private static let limit = 16
  private static let living = Mutex(0)

  /// Where bytes come out, and where they go in.
  let (output, input): (CInt, CInt)

  /// Nil if there are many already, or the system gives none.
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
