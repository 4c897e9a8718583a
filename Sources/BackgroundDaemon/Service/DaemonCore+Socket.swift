import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation
import LoadingModel

extension DaemonCore {
  /// The runtime folder is removed with the user's last login session, and with it the socket's file: no app would find the daemon, whose lock
  /// keeps another one from starting.
  func watchSocket() {
    loop.asyncAfter(deadline: .now() + options.socketPause) { [weak self] in
      guard let self, case .serving(let listener) = phase else { return }
      // Another daemon may have the folder's name by now: this one's files are out of reach for good.
      guard lock?.isInPlace ?? true else {
        report("the data folder has been removed")
        return end {}
      }
      if let managed { look(atManaged: managed) } else if !listener.isReachable { look(instead: listener) }
      watchSocket()
    }
  }

  /// Another one has taken the socket's name, or it is gone.
  private func look(instead listener: MessageListener) {
    guard !context.places.isAnswered else {
      // Only one that holds the lock may listen, and a service manager: its daemon carries on.
      report("a service manager listens for apps: this daemon ends, and leaves the transfers to the manager's")
      return end {}
    }
    listenAnew(instead: listener)
  }

  /// It listens anew, where an app would look now.
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

  /// The manager's socket stays; the way to it may have been removed.
  private func look(atManaged path: String) {
    guard !context.places.isAnnounced(path) else { return }
    guard access(path, F_OK) == 0 else {
      report("the service manager's socket \(path) has been removed")
      return end {}
    }
    do { try context.places.announce(path) } catch { report("apps can't be shown the way to the socket: \(error)") }
  }
}
