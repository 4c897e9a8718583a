import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation
import LoadingModel

extension DaemonCore {
  /// Checks from time to time that apps can find the socket. The runtime folder is removed with the user's last login session, and the socket's file
  /// with it: no app would reach this daemon then, and its lock keeps another daemon from starting.
  func watchSocket() {
    loop.asyncAfter(deadline: .now() + options.socketPause) { [weak self] in
      guard let self, case .serving(let listener) = phase else { return }
      // The data folder was removed, and perhaps made again by another daemon: this daemon's open files can't be reached by name any more.
      guard lock?.isInPlace ?? true else {
        report("the data folder has been removed")
        return end {}
      }
      if let managed { look(atManaged: managed) } else if !listener.isReachable { look(instead: listener) }
      watchSocket()
    }
  }

  /// The socket's file is gone, or another process listens there.
  private func look(instead listener: MessageListener) {
    guard !context.places.isAnswered else {
      // Only the daemon with the lock may listen, or a service manager: the latter's daemon carries the transfers on.
      report("a service manager listens for apps: this daemon ends, and leaves the transfers to the manager's")
      return end {}
    }
    listenAnew(instead: listener)
  }

  /// Makes a new socket where an app would look for it now, and replaces the old listener.
  private func listenAnew(instead listener: MessageListener) {
    do {
      let places = try BackgroundPlaces(environment: context.environment, home: ProcessEnvironment.home)
      guard places.data == context.places.data else { return }
      let next = try places.listen()
      listener.close()
      phase = .serving(next)
      next.start { [weak self] link in self?.accept(link) }
    } catch {
      report("the socket has been removed, and can't be made again: \(error)")
    }
  }

  /// Checks the link by which apps find the service manager's socket, and makes it again if it was removed.
  private func look(atManaged path: String) {
    guard !context.places.isAnnounced(path) else { return }
    guard access(path, F_OK) == 0 else {
      report("the service manager's socket \(path) has been removed")
      return end {}
    }
    do { try context.places.announce(path) } catch { report("apps can't be shown the way to the socket: \(error)") }
  }
}
