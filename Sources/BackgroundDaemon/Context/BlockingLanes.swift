@preconcurrency import Dispatch
import Foundation

/// Work that may wait for a disk or another program: a few threads for each disk.
///
/// A mount that hangs (NFS without its server) keeps the threads of its lane, and what else concerns it waits behind them; everything else
/// goes on. The threads are no queue's of libdispatch, whose number is bounded for all queues together. Confined to the daemon's queue.
final class BlockingLanes: @unchecked Sendable {
  // @unchecked: what changes is touched on `loop` alone.

  enum Lane: Hashable, Sendable {
    /// The daemon's own folder.
    case own
    /// Starting programs.
    case programs
    /// Files of apps and people, by the mount that they are in.
    case mount(String)

    /// That of a file. Links aren't followed, which could hang: behind one may be another mount, whose work is this lane's then.
    static func file(_ path: String) -> Lane { .mount(MountTable.mount(of: path)) }

    /// How many threads it has.
    fileprivate var width: Int {
      switch self {
      case .own: 4
      case .programs, .mount: 2
      }
    }
  }

  /// Threads of all mounts together.
  private static let threadsOfMounts = 16

  private let loop: DispatchQueue
  private var running: [Lane: Int] = [:]
  /// What has no thread yet, in order.
  private var waiting: [Lane: [@Sendable () -> Void]] = [:]

  init(_ loop: DispatchQueue) { self.loop = loop }

  /// How many threads there are.
  var threads: Int { running.values.reduce(0, +) }

  /// Runs `work` on a thread of the lane, soon.
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
    // The thread may have been one that another mount waits for.
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
