import Foundation
import HTTPTransport
import LoadingModel
import NIOCore
import NIOPosix

/// The process's event loops for URL sessions: each is a thread of its own, started for the session that is given it first, never torn down.
enum EventLoops {
  private struct Started {
    var loops: [any EventLoop] = []
    var given = 0
  }

  private static let limit = max(1, min(System.coreCount, 4))
  private static let started = Mutex(Started())

  /// The loop of the next session: a new one until there are enough, then each in turn.
  static func next() -> any EventLoop {
    // Starting a thread under the lock: two sessions made at once wait for each other's.
    started.withLock { started in
      defer { started.given += 1 }
      if started.loops.isEmpty || started.loops.count < limit && hasRoom { started.loops.append(start()) }
      return started.loops[started.given % started.loops.count]
    }
  }

  /// One that has been started, for work that belongs to no session.
  static func any() -> any EventLoop {
    started.withLock { started in
      if started.loops.isEmpty { started.loops.append(start()) }
      return started.loops[0]
    }
  }

  /// Whether the process may open the descriptors of another loop: NIO ends a process that can't.
  private static var hasRoom: Bool {
    let descriptors = (0..<descriptorsOfALoop).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
    for descriptor in descriptors where descriptor >= 0 { close(descriptor) }
    return descriptors.allSatisfy { $0 >= 0 }
  }

  /// Those of epoll, of wake-ups and of timers, and a few that others may take meanwhile.
  private static let descriptorsOfALoop = 8

  private static func start() -> any EventLoop {
    let expected = EpollDescriptor.nextFree()
    let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
    if EpollDescriptor.closeOnExec(expected) { return loop }
    // On the loop and before anything else runs there: nothing changes meanwhile what is looked at.
    try? loop.submit { EpollDescriptor.closeOnExec(of: loop) }.wait()
    return loop
  }
}
