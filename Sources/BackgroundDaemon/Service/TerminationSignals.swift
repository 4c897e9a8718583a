@preconcurrency import Dispatch
import Foundation

/// SIGTERM and SIGINT as calls on a queue instead of the process's end.
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
