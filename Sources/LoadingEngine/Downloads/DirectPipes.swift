import CLoadingShims
import LoadingModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Two pipes through which the system moves bytes from a socket into a file: one is filled while the other is emptied.
///
/// Never one alone: who empties a pipe into a file holds its lock for as long as the disk takes, and an event loop that filled it would wait.
final class DirectPipes: Sendable {
  enum Place: CaseIterable {
    case first, second
  }

  /// Bytes in each: the most that an ordinary user's pipe may hold. The more are moved at once, the less it costs.
  static let capacity = 1024 * 1024

  /// The system bounds what a user may have in pipes, 64 MiB in all: others need some as well.
  private static let limit = 8
  private static let living = Mutex(0)

  private let first: (output: CInt, input: CInt)
  private let second: (output: CInt, input: CInt)

  /// Nil if there are many already, or the system gives none.
  init?() {
    let isOne = DirectPipes.living.withLock { living in
      guard living < DirectPipes.limit else { return false }
      living += 1
      return true
    }
    guard isOne else { return nil }
    guard let first = DirectPipes.open() else {
      DirectPipes.living.withLock { $0 -= 1 }
      return nil
    }
    guard let second = DirectPipes.open() else {
      close(first.output)
      close(first.input)
      DirectPipes.living.withLock { $0 -= 1 }
      return nil
    }
    (self.first, self.second) = (first, second)
  }

  deinit {
    for descriptor in [first.output, first.input, second.output, second.input] { close(descriptor) }
    DirectPipes.living.withLock { $0 -= 1 }
  }

  private static func open() -> (output: CInt, input: CInt)? {
    var ends: [CInt] = [-1, -1]
    return cls_pipe_open(&ends, capacity) == 0 ? (ends[0], ends[1]) : nil
  }

  /// Where bytes go in.
  func input(_ place: Place) -> CInt {
    switch place {
    case .first: first.input
    case .second: second.input
    }
  }

  /// Where they come out.
  func output(_ place: Place) -> CInt {
    switch place {
    case .first: first.output
    case .second: second.output
    }
  }
}
