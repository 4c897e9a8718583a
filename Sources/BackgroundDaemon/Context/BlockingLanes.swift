@preconcurrency import Dispatch
import Foundation

/// Runs work that may wait for a disk or for another program on threads of its own: each disk ("lane") has a few.
///
/// A mount that hangs (NFS without its server) keeps the threads of its lane, and later work for that mount waits; other lanes go on. Threads are
/// made by `Thread`, because libdispatch bounds the number of threads for all queues together. Confined to the daemon's queue.
final class BlockingLanes: @unchecked Sendable {
  // @unchecked: what changes is touched on `loop` alone.

  enum Lane: Hashable, Sendable {
    /// The disk of the daemon's data folder.
    case own
    /// Starts of other programs.
    case programs
    /// Files that apps and users name, by the mount point above them.
    case mount(String)

    /// The lane of a file. Links in the path aren't followed, because looking at them could hang: if one leads to another mount, its work runs here.
    static func file(_ path: String) -> Lane { .mount(MountTable.mount(of: path)) }

    /// Maximum number of threads that the lane has at once.
    fileprivate var width: Int {
      switch self {
      case .own: 4
      case .programs, .mount: 2
      }
    }
  }

  /// Maximum number of threads that the lanes of all mounts have together.
  private static let threadsOfMounts = 16

  private let loop: DispatchQueue
  private var running: [Lane: Int] = [:]
  /// Work that no thread has taken yet, per lane in order of arrival.
  private var waiting: [Lane: [@Sendable () -> Void]] = [:]

  init(_ loop: DispatchQueue) { self.loop = loop }

  /// Number of threads that run now, over all lanes.
  var threads: Int { running.values.reduce(0, +) }

  /// Runs `work` on a thread of the lane: at once, or when a thread is free.
  func run(_ lane: Lane, _ work: @escaping @Sendable () -> Void) {
    dispatchPrecondition(condition: .onQueue(loop))
    guard hasRoom(lane) else { return waiting[lane, default: []].append(work) }
    start(lane, work)
  }

  private func hasRoom(_ lane: Lane) -> Bool {
    guard running[lane, default: 0] < lane.width else { return false }
    guard case .mount = lane else { return true }
    let taken = running.reduce(0) { sum, entry in if case .mount = entry.key { sum + entry.value } else { sum } }
    return taken < BlockingLanes.threadsOfMounts
  }

  private func start(_ lane: Lane, _ work: @escaping @Sendable () -> Void) {
    running[lane, default: 0] += 1
    Thread.detachNewThread { [self] in
      work()
      loop.async { [self] in hasEnded(lane) }
    }
  }

  private func hasEnded(_ lane: Lane) {
    let count = (running[lane] ?? 1) - 1
    running[lane] = count == 0 ? nil : count
    // The ended thread counted against `threadsOfMounts` as well, so the work of another mount's lane may be able to start now.
    for next in [lane] + waiting.keys.filter({ $0 != lane }) {
      while hasRoom(next), let work = take(next) { start(next, work) }
    }
  }

  private func take(_ lane: Lane) -> (@Sendable () -> Void)? {
    guard var line = waiting[lane], !line.isEmpty else { return nil }
    let work = line.removeFirst()
    waiting[lane] = line.isEmpty ? nil : line
    return work
  }
}
