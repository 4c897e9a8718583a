import Foundation
import LoadingModel
import NIOCore
import NIOFoundationCompat

/// Collects a whole body in memory, which grows in place.
///
/// A small body becomes one `Data` by one copy. A large one is collected in a `malloc` block, which `realloc` can grow without copying and the
/// final `Data` takes over: the peak of memory is one body, not two.
package struct CollectedBody: @unchecked Sendable {
  // @unchecked: a value that one load holds, on its event loop; no other value shares `block`, until `data` passes its bytes on.
  private final class Block {
    var base: UnsafeMutableRawPointer
    var capacity: Int
    var isHandedOver = false

    init?(capacity: Int) {
      guard let base = malloc(capacity) else { return nil }
      self.base = base
      self.capacity = capacity
    }

    func grow(to needed: Int) -> Bool {
      guard needed > capacity else { return true }
      let target = max(needed, capacity + capacity / 2)
      guard let grown = realloc(base, target) else { return false }
      base = grown
      capacity = target
      return true
    }

    deinit { if !isHandedOver { free(base) } }
  }

  /// The largest announced length, in bytes, for which memory is reserved at once; untouched pages cost nothing.
  private static let reserveLimit: Int64 = 256 * 1024 * 1024
  /// The size in bytes up to which a body stays in one `Data`.
  private static let smallLimit = 64 * 1024

  private var small = Data()
  private var block: Block?
  package private(set) var count = 0
  private let expected: Int64
  private let limit: Int64

  /// - Parameters:
  ///   - expected: The announced number of bytes; negative if unknown.
  ///   - limit: The most bytes; nil for no limit. A longer body is refused as soon as its length is known.
  package init(expecting expected: Int64, limit: Int64? = nil) throws(LoadError) {
    self.expected = expected
    self.limit = limit ?? .max
    if expected > self.limit { throw CollectedBody.tooLong(self.limit) }
  }

  package init(_ data: Data) {
    small = data
    count = data.count
    expected = Int64(data.count)
    limit = .max
  }

  package mutating func append(_ bytes: ByteBuffer) throws(LoadError) {
    let added = bytes.readableBytes
    guard Int64(added) <= limit - Int64(count) else { throw CollectedBody.tooLong(limit) }
    if block == nil {
      if count + added <= CollectedBody.smallLimit, expected <= CollectedBody.smallLimit {
        if small.isEmpty {
          small = Data(buffer: bytes, byteTransferStrategy: .copy)
        } else {
          small.append(contentsOf: bytes.readableBytesView)
        }
        count += added
        return
      }
      try moveToBlock(adding: added)
    }
    guard let block, block.grow(to: count + added) else { throw CollectedBody.outOfMemory(count + added) }
    bytes.withUnsafeReadableBytes { source in
      guard let start = source.baseAddress else { return }
      (block.base + count).copyMemory(from: start, byteCount: added)
    }
    count += added
  }

  private mutating func moveToBlock(adding added: Int) throws(LoadError) {
    let reserve = Int(min(max(expected, 0), CollectedBody.reserveLimit))
    guard let block = Block(capacity: max(reserve, count + added, 128 * 1024)) else { throw CollectedBody.outOfMemory(count + added) }
    if count > 0 { small.withUnsafeBytes { block.base.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(block.base), byteCount: count) } }
    small = Data()
    self.block = block
  }

  /// A copy of the bytes collected so far.
  package var copied: Data {
    guard let block else { return small }
    return Data(bytes: block.base, count: count)
  }

  /// The whole body, without a copy. To be called once, at the end.
  package consuming func data() -> Data {
    guard let block else { return small }
    let base = realloc(block.base, max(count, 1)) ?? block.base
    block.isHandedOver = true
    return Data(bytesNoCopy: base, count: count, deallocator: .free)
  }

  private static func tooLong(_ limit: Int64) -> LoadError {
    LoadError(
      .dataLengthExceedsMaximum, .body,
      "the body is longer than the \(limit) bytes that may be collected in memory; raise maximumResponseBodyLength, or stream the body")
  }

  private static func outOfMemory(_ bytes: Int) -> LoadError {
    LoadError(
      .unknown, .body, "there is no memory for a body of \(bytes) bytes; stream it with bytes(for:) or a delegate instead",
      posixCode: ENOMEM)
  }
}
