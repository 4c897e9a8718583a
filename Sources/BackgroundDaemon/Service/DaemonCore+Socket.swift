import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation

extension DaemonCore {
  /// Seconds between two looks at the socket's file.
  private static let socketPause = 15.0

  /// The runtime folder is removed with the user's last login session, and with it the socket's file: no app would find the daemon, whose lock
  /// keeps another one from starting. It listens anew, where an app would look now.
  func watchSocket() {
    loop.asyncAfter(deadline: .now() + DaemonCore.socketPause) { [weak self] in
      guard let self, case .serving(let listener) = phase else { return }
      // Another daemon may have the folder's name by now: this one's files are out of reach for good.
      guard lock?.isInPlace ?? true else {
        report("the data folder has been removed")
        return end {}
      }
      if !listener.isReachable { listenAnew(instead: listener) }
      watchSocket()
    }
  }

  private func listenAnew(instead listener: MessageListener) {
    do {
      let home = URL(filePath: NSHomeDirectory(), directoryHint: .isDirectory)
      let places = try BackgroundPlaces(environment: environment, home: home)
      guard places.data == self.places.data else { return }
      let next = try places.listen()
      listener.close()
      phase = .serving(next)
      next.start { [weak self] link in self?.accept(link) }
    } catch {
      report("the socket has been removed, and can't be made again: \(error)")
    }
  }
}
