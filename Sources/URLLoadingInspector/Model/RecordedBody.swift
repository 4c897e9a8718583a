#if Inspector
  import Foundation
  import Synchronization

  /// The recorded body of a request or a response: redacted, and without its content coding. A value whose bytes are shared.
  package struct RecordedBody: Sendable, Equatable {
    private enum Content: Sendable {
      case memory(HeldBytes)
      case file(SpillFile)
    }

    /// Bytes of the whole body, of which only the beginning may be here.
    package var size: Int64
    /// Whether bytes are missing at its end.
    package var isCut: Bool
    private var content: Content

    /// - Parameter budget: What the bytes are counted in while they are in memory; nil: nowhere.
    package init(_ data: Data, size: Int64? = nil, isCut: Bool = false, budget: ByteBudget? = nil) {
      content = .memory(HeldBytes(data, budget))
      self.size = size ?? Int64(data.count)
      self.isCut = isCut
    }

    /// The bytes; of a file that can't be read any more, none.
    package var data: Data {
      switch content {
      case .memory(let held): held.data
      case .file(let file): file.data ?? Data()
      }
    }

    /// The body with its bytes in memory. Those that can't be read any more are missing, and it is cut there.
    package var read: RecordedBody {
      guard case .file(let file) = content else { return self }
      let data = file.data ?? Data()
      return RecordedBody(data, size: size, isCut: isCut || data.count < file.count)
    }

    /// Bytes that are recorded.
    package var count: Int {
      switch content {
      case .memory(let held): held.data.count
      case .file(let file): file.count
      }
    }

    /// Moves the bytes into a file of `folder`, unless they are there or it takes no more.
    mutating func spill(into folder: SpillFolder) {
      guard case .memory(let held) = content, let file = folder.write(held.data) else { return }
      content = .file(file)
    }

    /// Drops the bytes, and says that they are missing.
    mutating func drop() {
      guard count > 0 else { return }
      content = .memory(HeldBytes(Data(), nil))
      isCut = true
    }

    package static func == (left: RecordedBody, right: RecordedBody) -> Bool {
      left.size == right.size && left.isCut == right.isCut && left.data == right.data
    }
  }

  /// Bytes that count in a budget for as long as they are held.
  private final class HeldBytes: Sendable {
    let data: Data
    private let budget: ByteBudget?

    /// The bytes have been taken from `budget`; they are given back at the end.
    init(_ data: Data, _ budget: ByteBudget?) { (self.data, self.budget) = (data, budget) }

    deinit { budget?.giveBack(data.count) }
  }

  /// Bytes of bodies that a recorder may hold in memory. Thread-safe.
  package final class ByteBudget: Sendable {
    package let limit: Int
    private let used = Atomic(0)

    package init(limit: Int) { self.limit = limit }

    /// Whether there is room for `count` more, which is then taken.
    package func take(_ count: Int) -> Bool {
      guard used.add(count, ordering: .relaxed).newValue > limit else { return true }
      giveBack(count)
      return false
    }

    package func giveBack(_ count: Int) { used.subtract(count, ordering: .relaxed) }

    package var taken: Int { used.load(ordering: .relaxed) }
  }
#endif
