import ChildProcesses
import Foundation
import HTTPTransport
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// A process that moves one file, until it is done or killed.
///
///     at BYTES                so much of the file has been given to the disk
///     broken                  the transfer broke, and its resume data has been written down
///     done                    the file has been moved
struct TransferChild: Sendable {
  enum Work: String {
    /// Resumes a download from the resume data in the folder, again and again.
    case download
    /// Resumes an upload from the resume data in the folder.
    case upload
    /// Downloads into a folder on a small disk of its own.
    case fullDisk
    /// Downloads while the disk hangs.
    case hangingDisk
  }

  private static let workVariable = "TRANSFER_WORK"
  private static let folderVariable = "TRANSFER_FOLDER"
  private static let serverVariable = "TRANSFER_SERVER"
  private static let test = "childMovesAFile"

  let work: Work
  let ground: TransferGround
  let server: URL

  /// What this process is to do; nil if it is no child.
  static let here: TransferChild? = {
    let variables = ProcessInfo.processInfo.environment
    guard let work = variables[workVariable].flatMap({ Work(rawValue: $0) }), let folder = variables[folderVariable],
      let server = variables[serverVariable].flatMap({ URL(string: $0) })
    else { return nil }
    return TransferChild(work: work, ground: TransferGround(folder: URL(filePath: folder, directoryHint: .isDirectory)), server: server)
  }()

  private var environment: [String: String] {
    [
      TransferChild.workVariable: work.rawValue, TransferChild.folderVariable: ground.folder.path(percentEncoded: false),
      TransferChild.serverVariable: server.absoluteString, "URL_LOADING_SYSTEM_HOME": ground.folder.path(percentEncoded: false),
    ]
  }

  func start() throws -> ChildProcess {
    try ChildProcess(ofThisProgram: TransferChild.test, in: ground.folder, environment: environment)
  }

  /// Starts it with a disk of this many bytes in the place of the folder for downloads.
  func start(withDiskOf size: Int) throws -> ChildProcess {
    try SmallDisk.child(running: TransferChild.test, on: ground.downloads, size: size, environment: environment)
  }

  func run() async throws {
    let reports = try ReportPipe.handle(in: ground.folder)
    switch work {
    case .download: try await download(reports)
    case .upload: _ = try await URLSession(configuration: ground.configuration).upload(resumeFrom: Data(contentsOf: ground.resumeData))
    case .fullDisk: try await fillDisk()
    case .hangingDisk: try await cancelWhileTheDiskHangs()
    }
    try reports.write(contentsOf: Data("done\n".utf8))
  }

  // MARK: a download that is cut

  private func download(_ reports: FileHandle) async throws {
    // As often as the server can cut it.
    for _ in 0..<1000 {
      let reporter = WritingReporter(reports, result: ground.result)
      let session = URLSession(configuration: ground.configuration, delegate: reporter, delegateQueue: nil)
      session.downloadTask(withResumeData: try Data(contentsOf: ground.resumeData)).resume()
      let error = await reporter.end()
      session.invalidateAndCancel()
      guard let error else { return }
      let data = try #require((error as? URLError)?.downloadTaskResumeData, "\(error)")
      try data.write(to: ground.resumeData, options: .atomic)
      try reports.write(contentsOf: Data("broken\n".utf8))
    }
  }

  // MARK: disks

  private func fillDisk() async throws {
    let session = URLSession(configuration: ground.configuration)
    let error = await #expect(throws: URLError.self) { try await session.download(from: server) }
    #expect(error?.code == .cannotWriteToFile)
    #expect(error?.localizedDescription.contains("full") == true)
    #expect(error?.downloadTaskResumeData == nil)
    #expect(ground.unfinished.isEmpty)
    // What there is room for is downloaded as ever.
    let small = server.deletingLastPathComponent()
    let first = await #expect(throws: URLError.self) { try await session.download(from: small.appending(path: "cut")) }
    let data = try #require(first?.downloadTaskResumeData)
    // The rest doesn't fit: what was there before stays.
    let second = await #expect(throws: URLError.self) { try await session.download(resumeFrom: data) }
    #expect(second?.code == .cannotWriteToFile)
    let again = try #require(second?.downloadTaskResumeData)
    #expect(ground.unfinished.count == 1)
    // With room again, it continues.
    let remount = try ChildProcess(
      "mount", ["-o", "remount,size=67108864", ground.downloads.path(percentEncoded: false)], in: ground.folder)
    #expect(await remount.end() == .exit(0))
    let (file, _) = try await session.download(resumeFrom: again)
    #expect(try AlphabetPattern.fill(file, count: 20 << 20))
    session.invalidateAndCancel()
  }

  /// The threads for files do something else for as long as they like.
  private func cancelWhileTheDiskHangs() async throws {
    let writing = Signal()
    let recorder = DownloadRecorder(writing: writing)
    let session = URLSession(configuration: ground.configuration, delegate: recorder, delegateQueue: nil)
    let task = session.downloadTask(with: server)
    task.resume()
    await writing.wait()
    let disk = DispatchSemaphore(value: 0)
    // More than there are threads.
    for _ in 0..<64 {
      BlockingThreads.files.submit {
        disk.wait()
        disk.signal()
      }
    }
    let data = await task.cancelByProducingResumeData()
    #expect(data != nil)
    #expect((await recorder.end() as? URLError)?.code == .cancelled)
    // A second download, begun while nothing can be opened, ends as well.
    let other = DownloadRecorder()
    let waiting = session.downloadTask(with: server)
    waiting.delegate = other
    waiting.resume()
    await session.flush()
    waiting.cancel()
    #expect((await other.end() as? URLError)?.code == .cancelled)
    disk.signal()
    session.invalidateAndCancel()
  }
}

/// Reports how far a download has come, and moves its file.
private final class WritingReporter: NSObject, URLSessionDownloadDelegate {
  private let reports: FileHandle
  private let result: URL
  private let ended = Signal()
  private let failure = Mutex<(any Error)?>(nil)

  init(_ reports: FileHandle, result: URL) {
    self.reports = reports
    self.result = result
  }

  func end() async -> (any Error)? {
    await ended.wait()
    return failure.withLock { $0 }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
    totalBytesExpectedToWrite: Int64
  ) {
    try? reports.write(contentsOf: Data("at \(totalBytesWritten)\n".utf8))
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    do { try FileManager.default.moveItem(at: location, to: result) } catch { failure.withLock { $0 = error } }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    if let error { failure.withLock { $0 = error } }
    ended.send()
  }
}
