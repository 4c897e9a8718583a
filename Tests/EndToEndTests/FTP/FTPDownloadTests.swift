import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Download tasks over FTP.
@Suite(.timeLimit(.minutes(10))) struct FTPDownloadTests {
  private static let content = Resource(count: 100_000).bytes

  /// A first download that breaks after 60 000 bytes, then one that resumes it, whose control connection follows `second`.
  private func resume(
    changed: String = "19941106084937", serving rest: Data, _ second: @escaping (Int) -> [RawStep],
    _ check: (DownloadRecorder, URLSessionDownloadTask) throws -> Void
  ) async throws {
    let folder = try DownloadFolder()
    defer { folder.remove() }
    try await FTPScript.serve(
      data: [[.send(FTPDownloadTests.content.prefix(60_000)), .close], [.send(rest), .close]],
      control: { port in [FTPScript.retrieving(100_000, port, end: "426 broken off"), second(port)] },
      configuration: folder.configuration
    ) { ground async throws in
      let error = await #expect(throws: URLError.self) { try await ground.session.download(from: ground.file) }
      let data = try #require(error?.downloadTaskResumeData)
      let recorder = DownloadRecorder()
      let session = URLSession(configuration: folder.configuration, delegate: recorder, delegateQueue: nil)
      let task = session.downloadTask(withResumeData: data)
      task.resume()
      #expect(await recorder.end() == nil)
      try check(recorder, task)
      session.invalidateAndCancel()
      #expect(folder.names.isEmpty)
    }
  }

  private static func fetching(_ port: Int, _ resume: [RawStep] = []) -> [RawStep] {
    FTPScript.passive(port) + resume + FTPScript.answer("RETR a.txt", "150 here\r\n226 done")
  }

  @Test func brokenDownloadGoesOnWhereItEnded() async throws {
    try await resume(
      serving: FTPDownloadTests.content.dropFirst(60_000),
      { FTPScript.finding(100_000) + FTPDownloadTests.fetching($0, FTPScript.answer("REST 60000", "350 ok")) }
    ) { recorder, task in
      #expect(recorder.events == ["resumed at 60000 of 100000", "written", "file", "metrics", "completed of download"])
      #expect(recorder.file == FTPDownloadTests.content)
      #expect(recorder.written.last?.total == 100_000)
      #expect(recorder.written.reduce(0) { $0 + $1.bytes } == 40_000)
      #expect(task.countOfBytesReceived == 100_000)
      #expect(task.progress.fractionCompleted == 1)
    }
  }

  @Test(arguments: [(100_000, "19941106084938"), (99_999, "19941106084937")])
  func changedFileStartsOverAndSaysSo(_ size: Int, _ changed: String) async throws {
    let other = Resource(count: size, seed: 9).bytes
    try await resume(serving: other, { FTPScript.finding(size, changed: changed) + FTPDownloadTests.fetching($0) }) { recorder, _ in
      #expect(recorder.events.first == "resumed at 0 of \(size)")
      #expect(recorder.file == other)
    }
  }

  @Test func serverThatCannotBeginInTheMiddleStartsOver() async throws {
    try await resume(
      serving: FTPDownloadTests.content,
      { FTPScript.finding(100_000) + FTPDownloadTests.fetching($0, FTPScript.answer("REST 60000", "502 no")) }
    ) { recorder, _ in
      #expect(recorder.events.first == "resumed at 0 of 100000")
      #expect(recorder.file == FTPDownloadTests.content)
    }
  }

  /// It could change once more within the second that its server names.
  @Test func fileThatHasJustChangedIsNotResumed() async throws {
    let format = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted, timeZone: .gmt).year().month().day().time(
      includingFractionalSeconds: false)
    let now = Date(timeIntervalSinceNow: 60).formatted(format).filter(\.isNumber)
    let folder = try DownloadFolder()
    defer { folder.remove() }
    try await FTPScript.serve(
      data: [[.send("hel"), .close]],
      control: { port in
        [FTPScript.finding(5, changed: now) + FTPScript.passive(port) + FTPScript.answer("RETR a.txt", "150 here\r\n426 broken")]
      }, configuration: folder.configuration
    ) { ground async throws in
      let error = await #expect(throws: URLError.self) { try await ground.session.download(from: ground.file) }
      #expect(error?.code == .networkConnectionLost)
      #expect(error?.downloadTaskResumeData == nil)
      #expect(folder.names.isEmpty)
    }
  }
}
