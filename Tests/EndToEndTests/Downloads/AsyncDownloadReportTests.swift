import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// What the delegate of `download(for:delegate:)` is told on the way.
@Suite(.timeLimit(.minutes(10))) struct AsyncDownloadReportTests {
  private final class Reports: NSObject, URLSessionDownloadDelegate {
    struct Told: Sendable, Equatable {
      var written: [Int64] = []
      var total: Int64 = 0
      var expected: Int64 = 0
      var offset: Int64?
      var files = 0
      var ends = 0
    }

    let told = Mutex(Told())

    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
      totalBytesExpectedToWrite: Int64
    ) {
      told.withLock { told in
        told.written.append(bytesWritten)
        told.total = totalBytesWritten
        told.expected = totalBytesExpectedToWrite
      }
    }

    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
    ) {
      told.withLock { $0.offset = fileOffset }
    }

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
      told.withLock { $0.files += 1 }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      told.withLock { $0.ends += 1 }
    }
  }

  private func load(_ wire: Wire, reports: Bool, sessionDelegate: Reports?, delegate: Reports?) async throws {
    let folder = try DownloadFolder()
    let configuration = try folder.configuration(for: wire)
    configuration.reportsAsyncDownloads = reports
    try await TestServer.with(try wire.options()) { server async throws in
      server.enqueue(Reply(body: .pattern(count: 400_000)))
      let session = URLSession(configuration: configuration, delegate: sessionDelegate, delegateQueue: nil)
      let (file, _) = try await session.download(for: URLRequest(url: server.url()), delegate: delegate)
      #expect(try Data(contentsOf: file).count == 400_000)
      session.invalidateAndCancel()
    }
    try? FileManager.default.removeItem(at: folder.url)
  }

  @Test(arguments: Wire.allCases) func delegateIsToldNothingOfTheFileByDefault(_ wire: Wire) async throws {
    let delegate = Reports()
    try await load(wire, reports: false, sessionDelegate: nil, delegate: delegate)
    #expect(delegate.told.withLock { $0 } == Reports.Told())
  }

  @Test(arguments: Wire.allCases) func optInReportsWhatIsWrittenAndNothingElse(_ wire: Wire) async throws {
    let delegate = Reports()
    try await load(wire, reports: true, sessionDelegate: nil, delegate: delegate)
    let told = delegate.told.withLock { $0 }
    #expect(told.written.reduce(0, +) == 400_000 && told.total == 400_000 && told.expected == 400_000)
    #expect(told.offset == nil && told.files == 0 && told.ends == 0)
  }

  @Test(arguments: Wire.allCases) func sessionsDelegateIsToldWhereTheCallHasNone(_ wire: Wire) async throws {
    let delegate = Reports()
    try await load(wire, reports: true, sessionDelegate: delegate, delegate: nil)
    #expect(delegate.told.withLock { $0.total } == 400_000)
  }

  @Test func resumedDownloadTellsItsOffset() async throws {
    let folder = try DownloadFolder()
    let configuration = folder.configuration
    configuration.reportsAsyncDownloads = true
    try await TestServer.with { server async throws in
      let resource = Resource(count: 100_000)
      server.enqueue(
        Reply(headers: ["ETag": resource.tag], body: .bytes(resource.bytes), faults: [.disconnectAfterBodyBytes(40_000)]))
      server.route("/") { resource.reply($0) }
      let session = URLSession(configuration: configuration)
      let error = await #expect(throws: URLError.self) { try await session.download(from: server.url()) }
      let data = try #require(error?.downloadTaskResumeData)
      let delegate = Reports()
      let (file, _) = try await session.download(resumeFrom: data, delegate: delegate)
      #expect(try Data(contentsOf: file) == resource.bytes)
      let told = delegate.told.withLock { $0 }
      #expect(told.offset == 40_000 && told.written.reduce(0, +) == 60_000 && told.total == 100_000)
      session.invalidateAndCancel()
    }
    try? FileManager.default.removeItem(at: folder.url)
  }
}
