import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation

/// The daemon: carries the transfers of one user's background sessions on, for one data folder.
///
/// `run` is the whole life of a process; `start` and `stop` let tests have one within theirs. All state is confined to the serial queue of
/// `DaemonCore`; this class owns the lock and the socket.
package final class BackgroundDaemon: Sendable {
  private let core: DaemonCore
  private let environment: [String: String]

  /// Takes the lock and opens the queue; doesn't listen yet.
  ///
  /// - Returns: nil if another daemon serves the data folder.
  /// - Throws: If the folders, the lock or the queue can't be made.
  package init?(places: BackgroundPlaces, environment: [String: String] = [:], options: Options? = nil) throws {
    guard let lock = try DaemonLock(places.lock) else { return nil }
    self.environment = environment
    core = try DaemonCore(places: places, lock: lock, environment: environment, options: options ?? Options(environment: environment))
  }

  /// Listens and carries on what the queue has. Returns at once.
  /// - Throws: If nothing can be listened to.
  package func start() throws {
    let activated = ActivatedSocket.descriptor(environment: environment).map { MessageListener(descriptor: $0) }
    let listener = try activated ?? core.places.listen()
    core.loop.async { [core] in core.begin(listener) }
  }

  /// Ends cleanly: running transfers keep what is needed to resume them. Returns when the lock is released.
  package func stop() async {
    await withCheckedContinuation { continuation in
      core.loop.async { [core] in core.end { continuation.resume() } }
    }
  }

  /// Serves until it has been idle for long enough, or until SIGTERM or SIGINT. Blocks.
  /// - Throws: If nothing can be listened to.
  package func run() throws {
    signal(SIGPIPE, SIG_IGN)
    ProcessLimits.raiseOpenFiles()
    let ended = DispatchSemaphore(value: 0)
    core.loop.sync { core.whenEnded { ended.signal() } }
    let signals = TerminationSignals(core.loop) { [core] in core.end {} }
    try start()
    ended.wait()
    withExtendedLifetime(signals) {}
  }
}
