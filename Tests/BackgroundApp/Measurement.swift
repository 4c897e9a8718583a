import BackgroundTransfers
import Dispatch
import Foundation
import URLLoadingSystem

/// What the daemon costs, printed as lines “name value unit”. `scripts/tests/measure-background` runs it.
///
/// One large file (the URL) in the process and through the daemon, three times each in turn; then 10,000 downloads that wait, and the start
/// of a daemon that finds them.
final class Measurement: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
  // @unchecked: `done` is a semaphore, the rest immutable.
  private static let rounds = 3
  private static let waiting = 10_000
  private let url: URL
  private let done = DispatchSemaphore(value: 0)

  init(_ url: URL) { self.url = url }

  func run() {
    measureSpeed()
    measureQueue()
  }

  private func measureSpeed() {
    let background = URLSession(
      configuration: .background(withIdentifier: "speed"), delegate: self, delegateQueue: nil)
    let foreground = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)
    var seconds: [String: [Double]] = [:]
    for _ in 0..<Measurement.rounds {
      for (name, session) in [("in-process", foreground), ("daemon", background)] {
        let begin = ContinuousClock.now
        session.downloadTask(with: url).resume()
        done.wait()
        seconds[name, default: []].append((ContinuousClock.now - begin) / .seconds(1))
      }
    }
    for (name, times) in seconds.sorted(by: { $0.key > $1.key }) {
      print("one-file \(name) median \(times.sorted()[times.count / 2]) s of \(times)")
    }
    background.invalidateAndCancel()
    foreground.invalidateAndCancel()
  }

  private func measureQueue() {
    let session = URLSession(configuration: .background(withIdentifier: "queue"), delegate: self, delegateQueue: nil)
    let begin = ContinuousClock.now
    for index in 0..<Measurement.waiting {
      // The future: none begins, all are looked at.
      let task = session.downloadTask(with: url.appending(queryItems: [URLQueryItem(name: "n", value: "\(index)")]))
      task.earliestBeginDate = Date(timeIntervalSinceNow: 3600)
      task.resume()
    }
    // Answered when everything before it is on disk.
    guard let places = try? BackgroundPlaces.standard() else { return }
    let starter = DaemonStarter(places: places, environment: ProcessInfo.processInfo.environment)
    wait(until: Measurement.waiting, starter)
    print("enqueue \((ContinuousClock.now - begin) / .seconds(1)) s for \(Measurement.waiting) tasks")
    guard let daemon = try? starter.connectNow()?.peer.process else { return print("no daemon") }
    print("daemon-peak-memory \(Measurement.memory(daemon)) with \(Measurement.waiting) waiting")
    kill(daemon, SIGKILL)
    while kill(daemon, 0) == 0 { usleep(1000) }
    let start = ContinuousClock.now
    wait(until: Measurement.waiting, starter)
    print("daemon-start \((ContinuousClock.now - start) / .seconds(1)) s until it answers a question about \(Measurement.waiting) waiting")
    if let again = try? starter.connectNow()?.peer.process { print("daemon-memory-after-start \(Measurement.memory(again))") }
    session.invalidateAndCancel()
    usleep(2_000_000)
  }

  /// Until the daemon says that so many wait.
  private func wait(until count: Int, _ starter: DaemonStarter) {
    for _ in 0..<600 {
      guard let link = try? starter.connect(patience: 10) else { continue }
      let answered = DispatchSemaphore(value: 0)
      let waiting = Waiting()
      link.start(
        received: { messages in
          for message in messages {
            guard case .tool(.status(let status))? = try? MessageCoding.decode(DaemonMessage.self, from: message) else { continue }
            waiting.count = status.waiting + status.running
            answered.signal()
          }
        }, ended: { _ in answered.signal() })
      link.send(AppMessage.tool(.status))
      answered.wait()
      link.close()
      if waiting.count >= count { return }
      usleep(10_000)
    }
  }

  private final class Waiting: @unchecked Sendable {
    // @unchecked: written before a semaphore is signalled, and read after.
    var count = 0
  }

  private static func memory(_ process: pid_t) -> String {
    let text = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("VmHWM") || $0.hasPrefix("VmRSS") }
    return lines.map { $0.replacing("\t", with: " ") }.joined(separator: ", ")
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {}

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    if let error, (error as? URLError)?.code != .cancelled { print("failed: \(error)") }
    if (error as? URLError)?.code != .cancelled { done.signal() }
  }
}
