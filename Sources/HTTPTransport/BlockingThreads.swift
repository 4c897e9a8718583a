import NIOPosix

/// Threads for the system calls that can only be waited for: name look-ups and files. Made at first use, never torn down.
///
/// Not NIO's own pool: a slow name server would hold up whatever else the process runs there.
package enum BlockingThreads {
  package static let shared: NIOThreadPool = {
    let pool = NIOThreadPool(numberOfThreads: 8)
    pool.start()
    return pool
  }()
}
