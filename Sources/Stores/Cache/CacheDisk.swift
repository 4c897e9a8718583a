import Dispatch
import Foundation
import LoadingModel

/// The disk side of one cache: opens `DiskCache` at first use, and makes all changes on one thread.
final class CacheDisk: Sendable {
  private enum Phase {
    case closed
    case open(DiskCache)
    case failed(StoreFailure)
  }

  let directory: URL
  let threads = CacheThreads()
  private let writing = DispatchQueue(label: "URLLoadingSystem.cache.write", qos: .utility)
  private let opening = Mutex(Phase.closed)
  /// Why the latest write has failed; nil after a successful one.
  private let refusal = Mutex<StoreFailure?>(nil)

  init(directory: URL) { self.directory = directory }

  /// The disk cache if it is open already; doesn't open it.
  var known: DiskCache? {
    if case .open(let disk) = opening.withLock({ $0 }) { disk } else { nil }
  }

  /// Why the disk can't be opened, or has refused the latest write; nil if neither, or if it hasn't been used yet.
  var failure: StoreFailure? {
    if case .failed(let failure) = opening.withLock({ $0 }) { failure } else { refusal.withLock { $0 } }
  }

  /// Notes the result of a write; nil for success.
  func note(_ failure: StoreFailure?) { refusal.withLock { $0 = failure } }

  func note(failed error: any Error) { note(StoreFailure(path: directory.path(percentEncoded: false), error)) }

  /// After a failure to open the disk, has it opened again at its next use.
  func tryAgain() {
    opening.withLock { if case .failed = $0 { $0 = .closed } }
  }

  /// Runs `body` on the writing thread, after everything given to it before. It is passed nil if the disk can't be opened.
  func write(_ body: @escaping @Sendable (DiskCache?) -> Void) {
    writing.async { [self] in body(openHere()) }
  }

  /// Runs `body` on the writing thread as `write` does, and waits for its result. Blocks; must not be called on the writing thread.
  func writeNow<Value>(_ body: (DiskCache?) -> Value) -> Value {
    writing.sync { body(openHere()) }
  }

  /// Removes the body files of changes that aren't going to be stored. Blocks.
  static func discardBodies(_ changes: [CacheChange]) {
    for case .store(_, .file(let file, _)) in changes { file.discard() }
  }

  private func openHere() -> DiskCache? {
    switch opening.withLock({ $0 }) {
    case .open(let disk): return disk
    case .failed: return nil
    case .closed: break
    }
    do {
      let disk = try DiskCache(directory: directory, threads: threads)
      opening.withLock { $0 = .open(disk) }
      return disk
    } catch {
      let failure = StoreFailure(path: directory.path(percentEncoded: false), error)
      opening.withLock { $0 = .failed(failure) }
      return nil
    }
  }
}
