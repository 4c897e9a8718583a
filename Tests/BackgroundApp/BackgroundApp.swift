import Dispatch
import Foundation
import URLLoadingSystem

/// An app with a background session, for tests that kill it: moves the files that a list names, and notes each completion once it is told.
///
///     BackgroundApp FOLDER SERVER
///     BackgroundApp --measure URL     see Measurement
///     BackgroundApp --surroundings    see Surroundings
///
/// FOLDER/jobs has a line for each transfer, “down NAME” or “up NAME”; what is downloaded comes to FOLDER/done, what is uploaded lies in
/// FOLDER/sources. Each completion becomes one line of FOLDER/completions, “NAME ok”, “NAME error CODE” or “NAME twice”. The program ends when all
/// are there.
///
/// FOLDER/calls is locked from the first line of a completion's call until the library has noted its return: an app that is killed in between
/// has written down what the library doesn't know of, and no library could.
///
/// `--enqueue`, `--begin` and `--tasks` are those of `Enqueueing`, `--stop` is that of `StoppedDaemon`.
@main enum BackgroundApp {
  static func main() {
    let arguments = CommandLine.arguments
    if arguments.dropFirst() == ["--surroundings"] { return Surroundings.describe() }
    if arguments.count == 3, arguments[1] == "--measure", let server = URL(string: arguments[2]) { return Measurement(server).run() }
    Enqueueing.run(arguments)
    StoppedDaemon.run(arguments)
    guard arguments.count == 3, let server = URL(string: arguments[2]) else {
      FileHandle.standardError.write(Data("usage: BackgroundApp FOLDER SERVER\n".utf8))
      exit(2)
    }
    let folder = URL(filePath: arguments[1], directoryHint: .isDirectory)
    let work = Work(folder: folder, server: server)
    let configuration = URLSessionConfiguration.background(withIdentifier: "kills")
    configuration.httpMaximumConnectionsPerHost = 16
    let session = URLSession(configuration: configuration, delegate: work, delegateQueue: nil)
    session.getAllTasks { work.begin(session, $0) }
    dispatchMain()
  }
}

final class Work: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate, @unchecked Sendable {
  // @unchecked: `counts` is used on the delegate queue alone, the rest is immutable.
  private let folder: URL
  private let server: URL
  private let jobs: [(kind: String, name: String)]
  private let completions: FileHandle
  private var counts: [String: Int] = [:]
  private let calls: Int32

  init(folder: URL, server: URL) {
    self.folder = folder
    self.server = server
    let lines = (try? String(contentsOf: folder.appending(path: "jobs"), encoding: .utf8))?.split(separator: "\n") ?? []
    jobs = lines.map { line in
      let words = line.split(separator: " ")
      return (String(words[0]), String(words[1]))
    }
    let file = folder.appending(path: "completions").path(percentEncoded: false)
    let descriptor = open(file, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    completions = FileHandle(fileDescriptor: descriptor)
    calls = open(folder.appending(path: "calls").path(percentEncoded: false), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    super.init()
    let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
    for line in text.split(separator: "\n") { counts[String(line.prefix { $0 != " " }), default: 0] += 1 }
  }

  /// On the delegate queue, after the events that were missed. What is neither done nor under way is begun.
  func begin(_ session: URLSession, _ tasks: [URLSessionTask]) {
    let present = Set(tasks.compactMap { $0.originalRequest?.url?.lastPathComponent })
    for task in tasks where task.state == .suspended { task.resume() }
    for job in jobs where counts[job.name] == nil && !present.contains(job.name) {
      var request = URLRequest(url: server.appending(path: job.kind).appending(path: job.name))
      if job.kind == "up" {
        request.httpMethod = "PUT"
        session.uploadTask(with: request, fromFile: folder.appending(path: "sources").appending(path: job.name)).resume()
      } else {
        session.downloadTask(with: request).resume()
      }
    }
    endIfDone()
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    let name = downloadTask.originalRequest?.url?.lastPathComponent ?? "unknown"
    let place = folder.appending(path: "done").appending(path: name).path(percentEncoded: false)
    // An app that was killed after this has the file, and hasn't noted it.
    rename(location.path(percentEncoded: false), place)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    flock(calls, LOCK_EX)
    // The library's part of this very operation comes first.
    session.delegateQueue.addOperation { [calls] in flock(calls, LOCK_UN) }
    let name = task.originalRequest?.url?.lastPathComponent ?? "unknown"
    let outcome = error.map { "error \(($0 as NSError).code)" } ?? "ok"
    note("\(name) \(counts[name] == nil ? outcome : "twice")")
    counts[name, default: 0] += 1
    endIfDone()
  }

  private func note(_ line: String) {
    try? completions.write(contentsOf: Data((line + "\n").utf8))
  }

  /// Makes FOLDER/finished and ends the program. Not in this very callback: the event is taken when it has returned.
  private func endIfDone() {
    guard jobs.allSatisfy({ counts[$0.name] != nil }) else { return }
    try? Data().write(to: folder.appending(path: "finished"))
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.2) { exit(0) }
  }
}
