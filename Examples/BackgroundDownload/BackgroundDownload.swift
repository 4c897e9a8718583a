import Foundation
import FoundationNetworking

/// Downloads files although it is killed: what it has begun goes on without it, and is there when it is started again.
///
///     BackgroundDownload FOLDER [URL …]
///
/// Begins a download for each URL, then waits until all have ended; Control-C or `kill -9` end the program, not the downloads. Started
/// again, with or without URLs, it takes what has arrived meanwhile.
@main enum BackgroundDownload {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard let path = arguments.first else {
      print("usage: BackgroundDownload FOLDER [URL ...]")
      exit(2)
    }
    let files = Files(folder: URL(filePath: path, directoryHint: .isDirectory))
    let configuration = URLSessionConfiguration.background(withIdentifier: "org.example.downloads")
    let session = URLSession(configuration: configuration, delegate: files, delegateQueue: nil)
    // The daemon would start this program again, if there were events and it didn't run.
    URLSession.onBackgroundEvents { _, completionHandler in files.whenFinished(completionHandler) }
    // Answered when the tasks of earlier runs are known, and the events that were missed have been told.
    session.getAllTasks { tasks in
      for task in tasks { print("under way: \(task.originalRequest?.url?.absoluteString ?? "?")") }
      for text in arguments.dropFirst() {
        guard let url = URL(string: text) else { continue }
        session.downloadTask(with: url).resume()
        print("begun: \(url)")
      }
      files.endIfIdle(session)
    }
    dispatchMain()
  }
}

/// Takes files as they come.
final class Files: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
  // @unchecked: used on the delegate queue alone, but for `folder`, which doesn't change.
  private let folder: URL
  private var handler: (@Sendable () -> Void)?

  init(folder: URL) { self.folder = folder }

  func whenFinished(_ handler: @escaping @Sendable () -> Void) { self.handler = handler }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    let name = downloadTask.response?.suggestedFilename ?? "download"
    let place = folder.appending(path: name)
    do {
      // The file is removed when this returns.
      _ = try? FileManager.default.removeItem(at: place)
      try FileManager.default.moveItem(at: location, to: place)
      print("arrived: \(place.path)")
    } catch {
      print("\(name) can't be moved: \(error)")
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    if let error { print("failed: \(error.localizedDescription)") }
    endIfIdle(session)
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
    totalBytesExpectedToWrite: Int64
  ) {
    print("\(totalBytesWritten) of \(totalBytesExpectedToWrite) bytes of \(downloadTask.originalRequest?.url?.lastPathComponent ?? "")")
  }

  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { handler?() }

  /// Ends the program when nothing is under way. The session isn't invalidated: the next run finds it.
  func endIfIdle(_ session: URLSession) {
    session.getAllTasks { tasks in
      if tasks.isEmpty { exit(0) }
    }
  }
}
