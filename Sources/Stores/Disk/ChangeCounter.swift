import Foundation
import LoadingModel
import struct Synchronization.Atomic

/// Counts the changes of a store across processes: eight bytes of a file that all of them map.
///
/// Every writer bumps it after its commit; a reader whose last count is still the current one needs no look at the disk. Both cost
/// nanoseconds, so a load can afford it. A process that is killed between commit and bump has acknowledged nothing yet: what it wrote
/// is seen with the next change.
package final class ChangeCounter: Sendable {
  private typealias Cell = UnsafeMutablePointer<Atomic<UInt64>>

  private struct Place: @unchecked Sendable {
    // @unchecked: what the pointers lead to is atomic, and lives as long as the counter.
    /// In the file; nil as long as that can't be mapped.
    var mapped: Cell?
    /// Counts for this object alone, until the file can be mapped; then it stays for current readers.
    var own: Cell?
    /// Why the file can't be mapped.
    var failure: StoreFailure?
    /// In files that have been replaced, for current readers.
    var earlier: [Cell] = []
  }

  private static let size = 8

  private let url: URL
  private let place: Mutex<Place>
  /// Behind a pointer that rarely changes: looking costs no lock. `nonisolated(unsafe)`, because a pointer isn't Sendable: it is
  /// exchanged atomically, and what it leads to is atomic and lives as long as the counter.
  private nonisolated(unsafe) let cell: Atomic<Cell>

  /// Why other processes' changes aren't seen; nil if they are.
  package var failure: StoreFailure? {
    place.withLock(\.failure)
  }

  /// Maps the file at `url`, which is made if need be; its folder must exist. Counts for this object alone if that fails: on a full disk
  /// until the first `bump` that finds room.
  package init(url: URL) {
    self.url = url
    do {
      let mapped = try ChangeCounter.map(url)
      cell = Atomic(mapped)
      place = Mutex(Place(mapped: mapped))
    } catch {
      let own = Cell.allocate(capacity: 1)
      // No count that a file will ever have: the change to the file's is seen.
      own.initialize(to: Atomic(.random(in: (1 << 62)..<(1 << 63))))
      cell = Atomic(own)
      place = Mutex(Place(own: own, failure: error))
    }
  }

  /// The counter in the file beside a store's database.
  package convenience init(beside database: URL) { self.init(url: database.appendingPathExtension("changes")) }

  deinit {
    let place = place.withLock { $0 }
    for mapped in place.earlier + [place.mapped].compactMap(\.self) { munmap(mapped, ChangeCounter.size) }
    place.own?.deinitialize(count: 1)
    place.own?.deallocate()
  }

  /// The count; compare it with the one at which you last read the store. Take it before reading.
  // In line: read before each look into a store, where it is two loads.
  @inline(__always)
  package var value: UInt64 { cell.load(ordering: .acquiring).pointee.load(ordering: .acquiring) }

  /// Says that the store has changed; call it after the commit. May wait for the disk, but only if that was full.
  ///
  /// - Returns: The count before. Only if that is the one you last read at, no other process wrote meanwhile and `before + 1` is read as
  ///   well.
  @discardableResult
  package func bump() -> UInt64 {
    if failure?.cause == .fullDisk { mapAgain() }
    return cell.load(ordering: .acquiring).pointee.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue
  }

  /// The store's file has been replaced, and perhaps the counter's with it: counts in the one that is there now.
  func follow() {
    guard let mapped = try? ChangeCounter.map(url) else { return }
    place.withLock { place in
      if let earlier = place.mapped { place.earlier.append(earlier) }
      (place.mapped, place.failure) = (mapped, nil)
      cell.store(mapped, ordering: .releasing)
    }
  }

  private func mapAgain() {
    guard let mapped = try? ChangeCounter.map(url) else { return }
    let isTaken = place.withLock { place in
      guard place.mapped == nil else { return false }
      (place.mapped, place.failure) = (mapped, nil)
      cell.store(mapped, ordering: .releasing)
      return true
    }
    if !isTaken { munmap(mapped, ChangeCounter.size) }
  }

  private static func map(_ url: URL) throws(StoreFailure) -> Cell {
    let file: StoreFile
    do { file = try StoreFile(url) } catch { throw StoreFailure(path: url.path(percentEncoded: false), error) }
    defer { file.close() }
    // Allocated, not only lengthened: touching a hole on a full disk would end the process.
    let result = posix_fallocate(file.descriptor, 0, off_t(size))
    guard result == 0 else { throw StoreFailure(path: file.path, code: result) }
    guard let address = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor, 0), address != MAP_FAILED else {
      throw StoreFailure(path: file.path, code: errno)
    }
    return address.bindMemory(to: Atomic<UInt64>.self, capacity: 1)
  }
}
