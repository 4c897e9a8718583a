import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct LocalSchemeTests {
  // MARK: data

  @Test(
    arguments: [
      ("data:,A%20brief%20note", "A brief note", "text/plain", "US-ASCII"),
      ("data:text/html;charset=utf-8,%3Cp%3E%C3%BC", "<p>ü", "text/html", "utf-8"),
      ("data:;base64,aGVsbG8=", "hello", "text/plain", "US-ASCII"),
      ("data:application/json;base64,e30", "{}", "application/json", nil),
      ("DATA:text/css,a#fragment", "a", "text/css", nil),
      ("data:,", "", "text/plain", "US-ASCII"),
    ] as [(String, String, String, String?)])
  func dataURLIsItsOwnResponse(_ text: String, _ body: String, _ type: String, _ encoding: String?) async throws {
    let session = URLSession(configuration: .testing())
    let (data, response) = try await session.data(from: #require(URL(string: text)))
    #expect(String(decoding: data, as: UTF8.self) == body)
    #expect(!(response is HTTPURLResponse))
    #expect(response.mimeType == type)
    #expect(response.textEncodingName == encoding || response.textEncodingName?.lowercased() == encoding?.lowercased())
    #expect(response.expectedContentLength == Int64(body.utf8.count))
    session.invalidateAndCancel()
  }

  @Test(arguments: ["data:no-comma", "data:;base64,%%%"])
  func malformedDataURLIsAnError(_ text: String) async throws {
    let session = URLSession(configuration: .testing())
    let url = try #require(URL(string: text))
    await #expect(throws: URLError.self) { try await session.data(from: url) }
    session.invalidateAndCancel()
  }

  // MARK: file

  private func withFile(_ content: Data, named name: String = "file.txt", _ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("local-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent(name)
    try content.write(to: file)
    try await body(file)
  }

  @Test func fileIsLoadedWhole() async throws {
    try await withFile(Data("content".utf8), named: "page with space.html") { file async throws in
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: .testing(), delegate: recorder, delegateQueue: nil)
      let task = session.dataTask(with: file)
      task.resume()
      #expect(await recorder.completion(of: task) == nil)
      #expect(recorder.body == Data("content".utf8))
      #expect(task.response?.mimeType == "text/html")
      #expect(task.response?.expectedContentLength == 7)
      #expect(task.response?.suggestedFilename == "page with space.html")
      #expect(recorder.milestones.filter { $0 != .willCache }.map(\.description).last == "completed ok")
      session.invalidateAndCancel()
    }
  }

  @Test func rangeOfAFileIsLoaded() async throws {
    try await withFile(Data("0123456789".utf8)) { file async throws in
      let session = URLSession(configuration: .testing())
      for (range, expected) in [("bytes=2-4", "234"), ("bytes=7-", "789"), ("bytes=-2", "89"), ("lines=1", "0123456789")] {
        var request = URLRequest(url: file)
        request.setValue(range, forHTTPHeaderField: "Range")
        let (data, response) = try await session.data(for: request)
        #expect(String(decoding: data, as: UTF8.self) == expected)
        #expect(response.expectedContentLength == Int64(expected.utf8.count))
      }
      var beyond = URLRequest(url: file)
      beyond.setValue("bytes=10-", forHTTPHeaderField: "Range")
      await #expect(throws: URLError.self) { try await session.data(for: beyond) }
      session.invalidateAndCancel()
    }
  }

  @Test func emptyFileIsAnEmptyBody() async throws {
    try await withFile(Data()) { file async throws in
      let session = URLSession(configuration: .testing())
      let (data, response) = try await session.data(from: file)
      #expect(data.isEmpty)
      #expect(response.expectedContentLength == 0)
      session.invalidateAndCancel()
    }
  }

  @Test func whatIsNoReadableFileHasItsOwnErrors() async throws {
    try await withFile(Data("x".utf8)) { file async throws in
      let session = URLSession(configuration: .testing())
      let missing = file.appendingPathExtension("missing")
      #expect(await errorCode { _ = try await session.data(from: missing) } == URLError.fileDoesNotExist.rawValue)
      let beneath = file.appendingPathComponent("beneath")
      #expect(await errorCode { _ = try await session.data(from: beneath) } == URLError.fileDoesNotExist.rawValue)
      let folder = file.deletingLastPathComponent()
      #expect(await errorCode { _ = try await session.data(from: folder) } == URLError.fileIsDirectory.rawValue)
      session.invalidateAndCancel()
    }
  }

  @Test(.enabled(if: getuid() != 0, "root may read every file"))
  func fileWithoutPermissionHasItsOwnError() async throws {
    try await withFile(Data("x".utf8)) { file async throws in
      try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file.path)
      let session = URLSession(configuration: .testing())
      #expect(await errorCode { _ = try await session.data(from: file) } == URLError.noPermissionsToReadFile.rawValue)
      session.invalidateAndCancel()
    }
  }

  @Test func headOfAFileIsItsResponse() async throws {
    try await withFile(Data("content".utf8)) { file async throws in
      var request = URLRequest(url: file)
      request.httpMethod = "HEAD"
      let session = URLSession(configuration: .testing())
      let (_, response) = try await session.data(for: request)
      #expect(response.expectedContentLength == 7)
      session.invalidateAndCancel()
    }
  }

  @Test func largeFileWaitsForItsReader() async throws {
    let length = 100 << 20
    try await withFile(Data()) { file async throws in
      let handle = try FileHandle(forWritingTo: file)
      try handle.truncate(atOffset: UInt64(length))
      try handle.close()
      let reader = SlowReader()
      let session = URLSession(configuration: .testing(), delegate: reader, delegateQueue: nil)
      let task = session.dataTask(with: file)
      task.resume()
      await reader.begun.wait()
      // Meanwhile another load gets far ahead.
      let other = URLSession(configuration: .testing())
      var part = URLRequest(url: file)
      part.setValue("bytes=0-\(20 << 20)", forHTTPHeaderField: "Range")
      #expect(try await other.data(for: part).0.count == (20 << 20) + 1)
      other.invalidateAndCancel()
      #expect(task.countOfBytesReceived <= 2 << 20)
      reader.goOn.signal()
      await reader.completed.wait()
      #expect(task.error == nil)
      #expect(reader.count == length)
      session.invalidateAndCancel()
    }
  }
}

/// Takes its time over the first piece.
private final class SlowReader: NSObject, URLSessionDataDelegate {
  let begun = Signal()
  let completed = Signal()
  let goOn = DispatchSemaphore(value: 0)
  private let received = Mutex(0)

  var count: Int { received.withLock { $0 } }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let isFirst = received.withLock { received in
      defer { received += data.count }
      return received == 0
    }
    guard isFirst else { return }
    begun.send()
    goOn.wait()
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) { completed.send() }
}
