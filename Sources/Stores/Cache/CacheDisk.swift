import Dispatch
import Foundation
import LoadingModel

/// The disk of one cache: opened at first use, changed on one thread of its own.
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
  /// Why the last writing failed, until one succeeds.
  private let refusal = Mutex<StoreFailure?>(nil)

  init(directory: URL) { self.directory = directory }

  /// The cache if it is open by now.
  var known: DiskCache? {
    if case .open(let disk) = opening.withLock({ $0 }) { disk } else { nil }
  }

  /// Why there is no disk, or why it didn't take what was last written; nil if all is well, or it hasn't been tried.
  var failure: StoreFailure? {
    if case .failed(let failure) = opening.withLock({ $0 }) { failure } else { refusal.withLock { $0 } }
  }

  /// Notes how writing went: nil for well.
  func note(_ failure: StoreFailure?) { refusal.withLock { $0 = failure } }

  func note(failed error: any Error) { note(StoreFailure(path: directory.path(percentEncoded: false), error)) }

  /// Has a disk that couldn't be opened opened anew at its next use.
  func tryAgain() {
    opening.withLock { if case .failed = $0 { $0 = .closed } }
  }

  /// Runs `body` on the writing thread, after all that was given to it before; nil means that the disk can't be used.
  func write(_ body: @escaping @Sendable (DiskCache?) -> Void) {
    writing.async { [self] in body(openHere()) }
  }

  /// The same, and waits for it. Blocks; not on the writing thread.
  func writeNow<Value>(_ body: (DiskCache?) -> Value) -> Value {
    writing.sync { body(openHere()) }
  }

  /// Removes the files of bodies that can't be stored. Blocks.
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
