@preconcurrency import Dispatch
import Foundation

/// Calls a closure on a queue for SIGTERM and SIGINT, in the place of ending the process.
final class TerminationSignals: @unchecked Sendable {
  // @unchecked: immutable after `init`.
  private let sources: [any DispatchSourceSignal]

  init(_ queue: DispatchQueue, _ ended: @escaping @Sendable () -> Void) {
    sources = [SIGTERM, SIGINT].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { ended() }
      source.resume()
      return source
    }
  }

  deinit { for source in sources { source.cancel() } }
}
