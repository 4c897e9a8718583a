import Dispatch
import Foundation
import URLLoadingSystem

/// An app that ends as soon as it has enqueued, and one that says what it finds.
///
///     BackgroundApp --enqueue URL COUNT   makes COUNT downloads of URL, which begin in an hour, resumes them and ends
///     BackgroundApp --begin URL COUNT     the same, of downloads that begin at once
///     BackgroundApp --tasks URL           prints how many tasks there are and how many of them run, cancels them and ends
struct Enqueueing {
  private let session: URLSession
  private let url: URL

  init(_ url: URL) {
    session = URLSession(configuration: .background(withIdentifier: "enqueue"), delegate: Ignoring(), delegateQueue: nil)
    self.url = url
  }

  /// Does what the arguments ask for, and ends; returns if that is something else.
  static func run(_ arguments: [String]) {
    guard arguments.count >= 3, let url = URL(string: arguments[2]) else { return }
    let count = arguments.count > 3 ? Int(arguments[3]) ?? 0 : 0
    switch arguments[1] {
    case "--enqueue": Enqueueing(url).enqueue(count, at: Date(timeIntervalSinceNow: 3600))
    case "--begin": Enqueueing(url).enqueue(count, at: nil)
    case "--tasks": Enqueueing(url).count()
    default: break
    }
  }

  private func enqueue(_ count: Int, at moment: Date?) -> Never {
    for index in 0..<count {
      let task = session.downloadTask(with: url.appending(path: "\(index)"))
      if let moment { task.earliestBeginDate = moment }
      task.resume()
    }
    exit(0)
  }

  private func count() -> Never {
    session.getAllTasks { [session] tasks in
      print("\(tasks.count) tasks, \(tasks.count { $0.state == .running }) running")
      session.invalidateAndCancel()
      exit(0)
    }
    dispatchMain()
  }
}

private final class Ignoring: NSObject, URLSessionDownloadDelegate {
  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {}
}
