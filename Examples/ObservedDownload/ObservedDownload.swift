import Foundation
import FoundationNetworking

/// Downloads a file and shows what can be observed meanwhile: the task's state, its progress, what is written, and cookies that are set.
///
///     ObservedDownload URL FILE
@main struct ObservedDownload {
  static func main() async {
    do {
      try await download()
    } catch {
      print("ObservedDownload: \(error.localizedDescription)")
      exit(1)
    }
  }

  private static func download() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count == 2, let url = URL(string: arguments[0]) else {
      print("usage: ObservedDownload URL FILE")
      exit(2)
    }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.reportsAsyncDownloads = true
    let session = URLSession(configuration: configuration)
    let cookies = configuration.httpCookieStorage.map { storage in Task { await showChanges(of: storage) } }
    let watcher = Watcher()
    let (file, _) = try await session.download(from: url, delegate: watcher)
    cookies?.cancel()
    let place = URL(filePath: arguments[1])
    _ = try? FileManager.default.removeItem(at: place)
    try FileManager.default.moveItem(at: file, to: place)
    print("arrived: \(place.path)")
  }

  private static func showChanges(of storage: HTTPCookieStorage) async {
    for await _ in NotificationCenter.default.notifications(named: .NSHTTPCookieManagerCookiesChanged, object: storage) {
      print("cookies: \((storage.cookies ?? []).map(\.name))")
    }
  }
}

/// Observes the task of an async download, and is told what is written.
final class Watcher: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
  // @unchecked: written by the thread that makes the task, before the task is started.
  private var observations: [NSKeyValueObservation] = []

  func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
    observations = [
      task.observe(\.state, options: [.initial, .new]) { task, change in print("state: \(change.newValue ?? task.state)") },
      task.progress.observe(\.localizedDescription, options: [.new]) { _, change in print(change.newValue.flatMap(\.self) ?? "") },
    ]
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
    totalBytesExpectedToWrite: Int64
  ) {
    print("written: \(totalBytesWritten) of \(totalBytesExpectedToWrite) bytes")
  }

  /// An async download returns its file instead.
  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {}
}
