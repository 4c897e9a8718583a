#if Inspector
  import Foundation
  import Synchronization

  /// The recorded body of a request or a response, redacted and without its content coding. A value whose copies share the bytes.
  package struct RecordedBody: Sendable, Equatable {
    private enum Content: Sendable {
      case memory(HeldBytes)
      case file(SpillFile)
    }

    /// The length in bytes of the whole body, of which only the beginning may be recorded.
    package var size: Int64
    /// Whether the recorded bytes end before the body does.
    package var isCut: Bool
    private var content: Content

    /// - Parameter budget: The budget from which the bytes have been taken, and to which they are returned when they are released; nil for none.
    package init(_ data: Data, size: Int64? = nil, isCut: Bool = false, budget: ByteBudget? = nil) {
      content = .memory(HeldBytes(data, budget))
      self.size = size ?? Int64(data.count)
      self.isCut = isCut
    }

    /// The recorded bytes; empty if their file can't be read any more.
    package var data: Data {
      switch content {
      case .memory(let held): held.data
      case .file(let file): file.data ?? Data()
      }
    }

    /// The body with its bytes read into memory. If their file can't be read any more, the result has no bytes and is cut.
    package var read: RecordedBody {
      guard case .file(let file) = content else { return self }
      let data = file.data ?? Data()
      return RecordedBody(data, size: size, isCut: isCut || data.count < file.count)
    }

    /// The number of recorded bytes.
    package var count: Int {
      switch content {
      case .memory(let held): held.data.count
      case .file(let file): file.count
      }
    }

    /// Moves the bytes into a file of `folder`, unless they are already in one or the folder's limit is reached.
    mutating func spill(into folder: SpillFolder) {
      guard case .memory(let held) = content, let file = folder.write(held.data) else { return }
      content = .file(file)
    }

    /// Releases the recorded bytes and marks the body as cut.
    mutating func drop() {
      guard count > 0 else { return }
      content = .memory(HeldBytes(Data(), nil))
      isCut = true
    }

    package static func == (left: RecordedBody, right: RecordedBody) -> Bool {
      left.size == right.size && left.isCut == right.isCut && left.data == right.data
    }
  }

  /// Bytes in memory that count against a budget until they are released.
  private final class HeldBytes: Sendable {
    let data: Data
    private let budget: ByteBudget?

    /// Takes over bytes that have already been taken from `budget`; `deinit` returns them.
    init(_ data: Data, _ budget: ByteBudget?) { (self.data, self.budget) = (data, budget) }

    deinit { budget?.giveBack(data.count) }
  }

  /// Limits the bytes of bodies that a recorder holds in memory. Thread-safe.
  package final class ByteBudget: Sendable {
    package let limit: Int
    private let used = Atomic(0)

    package init(limit: Int) { self.limit = limit }

    /// Takes `count` bytes from the budget; returns false, and takes none, if that exceeds the limit.
    package func take(_ count: Int) -> Bool {
      guard used.add(count, ordering: .relaxed).newValue > limit else { return true }
      giveBack(count)
      return false
    }

    package func giveBack(_ count: Int) { used.subtract(count, ordering: .relaxed) }

    package var taken: Int { used.load(ordering: .relaxed) }
  }
#endif
