import HTTPTransport
import NIOCore
import NIOPosix

/// The process's event loops for URL sessions: made at first use, never torn down.
enum EventLoops {
  static let shared: MultiThreadedEventLoopGroup = {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, min(System.coreCount, 4)))
    // On the loop and before anything else runs there: nothing changes meanwhile what is looked at.
    for loop in group.makeIterator() { try? loop.submit { EpollDescriptor.closeOnExec(of: loop) }.wait() }
    return group
  }()
}
