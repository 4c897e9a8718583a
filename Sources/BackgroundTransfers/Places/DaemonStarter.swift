import CLoadingProcess
import Foundation

/// Connects an app to the daemon, and starts the daemon if none runs.
package struct DaemonStarter: Sendable {
  /// Seconds between two attempts to connect: the first pause, and the longest.
  private static let pauses = 0.002...0.1
  /// Seconds after which the daemon is started once more: the first start was in vain if an exiting daemon still held the lock.
  private static let restart = 1.0

  private let places: BackgroundPlaces
  private let environment: [String: String]

  /// - Parameter environment: The app's environment: for the search of the executable, and, as far as `DaemonEnvironment` lets it, for the daemon.
  package init(places: BackgroundPlaces, environment: [String: String]) {
    self.places = places
    self.environment = environment
  }

  /// Connects to the daemon, and starts it if none answers. Blocks.
  ///
  /// Several processes may start daemons at the same time: the lock leaves one of them.
  ///
  /// - Parameter patience: Seconds to wait for a daemon that was started.
  /// - Throws: `.storage` if there is no executable, or no daemon answers. The text says what to do.
  package func connect(patience: Double) throws(Refusal) -> MessageLink {
    if let link = try connectNow() { return link }
    guard let executable = DaemonStarter.executable(environment: environment) else { throw missing }
    let end = ContinuousClock.now + .seconds(patience)
    var nextStart = ContinuousClock.now
    var (pause, restart) = (DaemonStarter.pauses.lowerBound, DaemonStarter.restart)
    repeat {
      if ContinuousClock.now >= nextStart {
        try start(executable)
        nextStart = ContinuousClock.now + .seconds(restart)
        restart *= 2
      }
      usleep(UInt32(pause * 1_000_000))
      if let link = try connectNow() { return link }
      pause = min(pause * 1.5, DaemonStarter.pauses.upperBound)
    } while ContinuousClock.now < end
    throw Refusal(
      .storage, "\(executable.path(percentEncoded: false)) doesn't answer at \(places.socket) after \(patience) s; run it to see why.")
  }

  /// Connects to the daemon that runs; nil if no process of this user answers at its sockets.
  package func connectNow() throws(Refusal) -> MessageLink? {
    for path in places.sockets {
      let address = try LocalAddress(path)
      let descriptor = uls_local_socket()
      guard descriptor >= 0 else { throw Refusal(.storage, "No socket can be made: \(String(cString: strerror(errno))).") }
      // EAGAIN means that the socket's queue of connections is full: tried again later, as if no daemon answered.
      if address.connect(descriptor) == 0, let peer = LinkPeer(of: descriptor), peer.isOwnUser {
        return MessageLink(descriptor: descriptor, peer: peer)
      }
      close(descriptor)
    }
    return nil
  }

  private func start(_ executable: URL) throws(Refusal) {
    let path = executable.path(percentEncoded: false)
    let arguments = [strdup(path), nil]
    let variables = DaemonEnvironment.variables(of: environment).map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for word in arguments + variables { free(word) } }
    let code = uls_start_detached(path, "/", arguments, variables, -1)
    guard code == 0 else { throw Refusal(.storage, "\(path) can't be started: \(String(cString: strerror(code))).") }
  }

  private var missing: Refusal {
    let advice = "install urlsessiond beside the program or in a folder of PATH, or set URLSESSIOND_PATH to its path"
    if let path = environment[DaemonStarter.variable] {
      return Refusal(.storage, "Background sessions need urlsessiond, and URLSESSIOND_PATH (\(path)) isn't an executable file; \(advice).")
    }
    return Refusal(.storage, "Background sessions need urlsessiond, which wasn't found; \(advice).")
  }
}
