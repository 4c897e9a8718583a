import Foundation
import Synchronization

/// Counts the changes of a store across processes: eight bytes of a file that all of them map.
///
/// Every writer bumps it after its commit; a reader whose last count is still the current one needs no look at the disk. Both cost
/// nanoseconds, so a load can afford it. A process that is killed between commit and bump has acknowledged nothing yet: what it wrote
/// is seen with the next change.
package final class ChangeCounter: Sendable {
  private static let size = 8

  /// Why other processes' changes aren't seen; nil if they are.
  package let failure: StoreFailure?
  private nonisolated(unsafe) let cell: UnsafeMutablePointer<Atomic<UInt64>>
  private let isMapped: Bool

  /// Maps the file at `url`, which is made if need be; its folder must exist. Counts for this object alone if that fails.
  package init(url: URL) {
    do {
      cell = try ChangeCounter.map(url)
      isMapped = true
      failure = nil
    } catch {
      cell = .allocate(capacity: 1)
      cell.initialize(to: Atomic(0))
      isMapped = false
      failure = error
    }
  }

  /// The counter that stands beside a store's database.
  package convenience init(beside database: URL) { self.init(url: database.appendingPathExtension("changes")) }

  deinit {
    if isMapped {
      munmap(cell, ChangeCounter.size)
    } else {
      cell.deinitialize(count: 1)
      cell.deallocate()
    }
  }

  /// The count; compare it with the one at which you last read the store. Take it before reading.
  @inline(__always)
  package var value: UInt64 { cell.pointee.load(ordering: .acquiring) }

  /// Says that the store has changed; call it after the commit.
  ///
  /// - Returns: The count before. Only if that is the one you last read at, nobody else wrote meanwhile and `before + 1` is read as well.
  @discardableResult
  package func bump() -> UInt64 { cell.pointee.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue }

  private static func map(_ url: URL) throws(StoreFailure) -> UnsafeMutablePointer<Atomic<UInt64>> {
    let file: OpenFile
    do { file = try OpenFile(url) } catch let failure as StoreFailure { throw failure } catch {
      throw StoreFailure(path: url.path(percentEncoded: false), reason: "\(error)")
    }
    defer { file.close() }
    // Allocated, not only lengthened: touching a hole on a full disk would end the process.
    let result = posix_fallocate(file.descriptor, 0, off_t(size))
    guard result == 0 else { throw StoreFailure(path: file.path, reason: OpenFile.errorText(result)) }
    guard let address = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor, 0), address != MAP_FAILED else {
      throw StoreFailure(path: file.path, reason: OpenFile.errorText(errno))
    }
    return address.bindMemory(to: Atomic<UInt64>.self, capacity: 1)
  }
}
