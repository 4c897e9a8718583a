import Foundation
import LoadingModel
import struct Synchronization.Atomic

/// Counts the changes of a store across processes: eight bytes of a file that all of them map into memory.
///
/// Every writer bumps it after its commit; a reader needn't look at the disk while the count is the one of its last read. Both take nanoseconds, so
/// that every load can compare. If a process is killed between commit and bump, its change is seen with the next one; it hasn't reported the change
/// as done either.
package final class ChangeCounter: Sendable {
  private typealias Cell = UnsafeMutablePointer<Atomic<UInt64>>

  private struct Place: @unchecked Sendable {
    // @unchecked: what the pointers lead to is atomic, and lives as long as the counter.
    /// The cell in the file; nil as long as the file can't be mapped.
    var mapped: Cell?
    /// A cell for this object alone, used until the file can be mapped; not freed then, because readers may still use it.
    var own: Cell?
    /// Why the file can't be mapped; nil if it is.
    var failure: StoreFailure?
    /// Cells in files that were replaced; not unmapped, because readers may still use them.
    var earlier: [Cell] = []
  }

  private static let size = 8

  private let url: URL
  private let place: Mutex<Place>
  /// The cell in use. Atomic, so that reading takes no lock. `nonisolated(unsafe)`, because a pointer isn't Sendable: it is exchanged atomically, and
  /// what it leads to is atomic and lives as long as the counter.
  private nonisolated(unsafe) let cell: Atomic<Cell>

  /// Why other processes' changes aren't seen; nil if they are.
  package var failure: StoreFailure? {
    place.withLock(\.failure)
  }

  /// Maps the file at `url`, which is made if it doesn't exist; its folder must exist. If that fails, the object counts its own changes only: on a
  /// full disk until the first `bump` that finds room.
  package init(url: URL) {
    self.url = url
    do {
      let mapped = try ChangeCounter.map(url)
      cell = Atomic(mapped)
      place = Mutex(Place(mapped: mapped))
    } catch {
      let own = Cell.allocate(capacity: 1)
      // Begins at a number that no file's counter will reach, so that switching to the file counts as a change.
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

  /// The count. A reader takes it before it reads the store, and compares it later.
  // Inlined, because it is read before each use of a store: then it takes two loads from memory.
  @inline(__always)
  package var value: UInt64 { cell.load(ordering: .acquiring).pointee.load(ordering: .acquiring) }

  /// Tells other processes that the store has changed; called after the commit. Only if the disk was full may it wait for the disk.
  ///
  /// - Returns: The count before. If it is the one of your last read, no other process wrote meanwhile, and your read counts for `before + 1`.
  @discardableResult
  package func bump() -> UInt64 {
    if failure?.cause == .fullDisk { mapAgain() }
    return cell.load(ordering: .acquiring).pointee.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue
  }

  /// The store's file was replaced, and perhaps the counter's file with it: maps the counter's file that is there now.
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
    // Space is allocated, not just the size set: touching a hole on a full disk would kill the process (SIGBUS).
    let result = posix_fallocate(file.descriptor, 0, off_t(size))
    guard result == 0 else { throw StoreFailure(path: file.path, code: result) }
    guard let address = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor, 0), address != MAP_FAILED else {
      throw StoreFailure(path: file.path, code: errno)
    }
    return address.bindMemory(to: Atomic<UInt64>.self, capacity: 1)
  }
}
