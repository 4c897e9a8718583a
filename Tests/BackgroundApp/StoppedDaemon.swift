import BackgroundTransfers
import Dispatch
import Foundation
import URLLoadingSystem

/// An app whose daemon hangs: makes downloads until one of them fails, prints its error and ends.
///
///     BackgroundApp --stop URL before     the daemon is stopped before the session is made
///     BackgroundApp --stop URL after      it is stopped when it has answered
final class StoppedDaemon: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
  // @unchecked: `code` is written before `ended` is signalled, and read after.
  private let ended = DispatchSemaphore(value: 0)
  private var code: Int?

  /// Does what the arguments ask for, and ends; returns if that is something else.
  static func run(_ arguments: [String]) {
    guard arguments.count == 4, arguments[1] == "--stop", let url = URL(string: arguments[2]) else { return }
    StoppedDaemon().run(url, isBefore: arguments[3] == "before")
  }

  private func run(_ url: URL, isBefore: Bool) -> Never {
    let early = isBefore ? StoppedDaemon.stop() : nil
    let session = URLSession(configuration: .background(withIdentifier: "stopped"), delegate: self, delegateQueue: nil)
    let first = session.downloadTask(with: url)
    let daemon = early ?? StoppedDaemon.stop()
    first.resume()
    // More than a socket holds.
    var (count, isOver) = (0, false)
    while !isOver, count < 10_000 {
      session.downloadTask(with: url).resume()
      isOver = ended.wait(timeout: .now()) == .success
      count += 1
    }
    if !isOver { ended.wait() }
    print(code.map { "\($0)" } ?? "none has failed")
    kill(daemon, SIGCONT)
    exit(0)
  }

  private static func stop() -> pid_t {
    guard let places = try? BackgroundPlaces.standard(),
      let daemon = try? DaemonStarter(places: places, environment: ProcessInfo.processInfo.environment).connect(patience: 60).peer.process
    else { exit(3) }
    kill(daemon, SIGSTOP)
    return daemon
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {}

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard code == nil else { return }
    code = (error as NSError?)?.code ?? 0
    ended.signal()
  }
}
