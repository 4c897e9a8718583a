/// Threads for the system calls that can only be waited for: name look-ups and files. Started when they are needed, never torn down.
///
/// Not NIO's own pool: a slow name server would hold up whatever else the process runs there.
package enum BlockingThreads {
  /// For name look-ups, which a dead name server can hold up for long.
  package static let lookUps = WorkerThreads("URL name look-up", limit: 8)
  /// Asks the DNS how long looked-up addresses may be cached (their TTL), which getaddrinfo doesn't say. No load waits for that.
  static let lifetimes = WorkerThreads("URL name lifetime", limit: 1)
  /// Asks the DNS for HTTPS records: where else an origin is served. No load waits for that either.
  static let services = WorkerThreads("URL services", limit: 2)
  /// For the Kerberos library, which a key distribution centre that doesn't answer can hold up for long.
  package static let negotiation = WorkerThreads("URL negotiation", limit: negotiationCount)
  package static let negotiationCount = 3
  /// Asks NetworkManager for the state of the machine's networks. Separate from `lookUps`, as look-ups hang just when the networks change.
  package static let networks = WorkerThreads("URL networks", limit: 2)
  /// Reads the body streams of requests, which the app's code can hold up for as long as it likes.
  package static let bodies = WorkerThreads("URL body", limit: 256)
  /// Reads and writes files.
  package static let files = WorkerThreads("URL files", limit: 4)
}
