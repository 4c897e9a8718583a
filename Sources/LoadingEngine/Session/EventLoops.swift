import Foundation
import HTTPTransport
import LoadingModel
import NIOCore
import NIOPosix

/// The process's event loops for URL sessions: each has its own thread, which is started for the first session on it and never ends.
enum EventLoops {
  private struct Started {
    var loops: [any EventLoop] = []
    var given = 0
  }

  private static let limit = max(1, min(System.coreCount, 4))
  private static let started = Mutex(Started())

  /// The loop for the next session: a new one until there are `limit`, then the existing ones in turn.
  static func next() -> any EventLoop {
    // The thread is started under the lock: of two sessions made at the same moment, one waits for the other's.
    started.withLock { started in
      defer { started.given += 1 }
      if started.loops.isEmpty || started.loops.count < limit && hasRoom { started.loops.append(start()) }
      return started.loops[started.given % started.loops.count]
    }
  }

  /// A loop that has been started already, for work that belongs to no session.
  static func any() -> any EventLoop {
    started.withLock { started in
      if started.loops.isEmpty { started.loops.append(start()) }
      return started.loops[0]
    }
  }

  /// Whether the process can open the file descriptors of another loop: if it can't, NIO ends the process.
  private static var hasRoom: Bool {
    let descriptors = (0..<descriptorsOfALoop).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
    for descriptor in descriptors where descriptor >= 0 { close(descriptor) }
    return descriptors.allSatisfy { $0 >= 0 }
  }

  /// The number of file descriptors to try: those of a loop (epoll, wake-ups, timers), and a few that other threads may open meanwhile.
  private static let descriptorsOfALoop = 8

  private static func start() -> any EventLoop {
    let expected = EpollDescriptor.nextFree()
    let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
    if EpollDescriptor.closeOnExec(expected) { return loop }
    // Submitted to the loop before anything else runs there, so that the descriptors looked at don't change meanwhile.
    try? loop.submit { EpollDescriptor.closeOnExec(of: loop) }.wait()
    return loop
  }
}
