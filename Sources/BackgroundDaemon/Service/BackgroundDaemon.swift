import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation

/// The daemon: carries the transfers of one user's background sessions, for one data folder.
///
/// `run` is the whole life of a process; `start` and `stop` let tests run a daemon within theirs. All state is confined to the serial queue of
/// `DaemonCore`; this class owns the lock and the socket.
///
/// Both apps and a service manager (systemd) start daemons; the one with the lock of the data folder serves it. The service manager's daemon takes
/// precedence: it ends another daemon that has the lock, and a daemon that an app has started ends where a service manager listens.
package final class BackgroundDaemon: Sendable {
  package typealias Options = DaemonSettings

  /// Seconds that a daemon started by a service manager waits for the lock: less than the 90 that systemd waits for it to be ready.
  private static let lockPatience = 60.0

  private let core: DaemonCore
  /// The listening socket that systemd has handed over; nil if an app has started the daemon.
  private let activated: Int32?

  /// Takes the lock and opens the queue; doesn't listen yet.
  ///
  /// - Returns: nil if another daemon serves the data folder, or a service manager is about to start one.
  /// - Throws: If the folders, the lock or the queue can't be made.
  package init?(places: BackgroundPlaces, environment: [String: String] = [:], options: Options? = nil) throws {
    activated = ActivatedSocket.descriptor(environment: environment)
    let lock: DaemonLock
    if activated != nil {
      ServiceNotice(environment: environment)?.status("waits for a daemon that an app has started to end")
      lock = try DaemonLock(takingOver: places.lock, patience: BackgroundDaemon.lockPatience)
    } else {
      guard let taken = try DaemonLock(places.lock), !places.isAnswered else { return nil }
      lock = taken
    }
    core = try DaemonCore(places: places, lock: lock, environment: environment, options: options ?? Options(environment: environment))
  }

  /// Listens for connections and begins the transfers that the database has. Returns at once.
  /// - Throws: If no socket can be listened at.
  package func start() throws {
    let listener = try activated.map { try core.context.places.listen(at: $0) } ?? core.context.places.listen()
    core.loop.async { [core, activated] in
      core.managed = activated.flatMap { MessageListener.path(of: $0) }
      core.begin(listener)
    }
  }

  /// Ends the daemon: running transfers store their resume data. Returns when the lock is released.
  package func stop() async {
    await withCheckedContinuation { continuation in
      core.loop.async { [core] in core.end { continuation.resume() } }
    }
  }

  /// Serves until the daemon has been idle for `idleExit` seconds, or until SIGTERM or SIGINT. Blocks.
  /// - Throws: If no socket can be listened at.
  package func run() throws {
    signal(SIGPIPE, SIG_IGN)
    ProcessLimits.keepFilesPrivate()
    ProcessLimits.raise()
    let ended = DispatchSemaphore(value: 0)
    core.loop.sync { core.whenEnded { ended.signal() } }
    let signals = TerminationSignals(core.loop) { [core] in core.end {} }
    try start()
    ended.wait()
    withExtendedLifetime(signals) {}
  }
}
