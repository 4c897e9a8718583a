import NIOCore
import NIOPosix

/// The process's event loops for URL sessions: made at first use, never torn down.
enum EventLoops {
  static let shared = MultiThreadedEventLoopGroup(numberOfThreads: max(1, min(System.coreCount, 4)))
}
