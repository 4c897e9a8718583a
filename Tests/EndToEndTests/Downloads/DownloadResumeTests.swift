import Foundation
import LoadingModel
import SeededNumbers
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct DownloadResumeTests {
  /// Resume data of a download of `resource` that broke after `count` bytes.
  private func broken(
    _ server: TestServer, _ resource: Resource, _ configuration: URLSessionConfiguration, after count: Int
  ) async throws -> Data {
    server.enqueue(
      Reply(headers: ["ETag": resource.tag], body: .bytes(resource.bytes), faults: [.breakOffAfter(bodyBytes: count)]))
    let session = URLSession(configuration: configuration)
    defer { session.invalidateAndCancel() }
    let error = await #expect(throws: URLError.self) { try await session.download(from: server.url("/f")) }
    #expect(error?.code == .networkConnectionLost)
    return try #require(error?.downloadTaskResumeData)
  }

  @Test(arguments: [1, 2] as [UInt64], Wire.allCases)
  func twentyCutsLoseNothing(seed: UInt64, _ wire: Wire) async throws {
    let folder = try DownloadFolder()
    defer { folder.remove() }
    let resource = Resource(count: 4_000_000, seed: seed)
    try await folder.serve(wire) { server, configuration async throws in
      let numbers = Mutex(SeededNumbers(seed: seed))
      let served = Mutex(0)
      let cuts = Mutex(0)
      server.route("/f") { request in
        let reply = resource.reply(request)
        let rest = resource.bytes.count - (Resource.offset(request) ?? 0)
        let isCut = cuts.withLock { cuts in
          cuts += 1
          return cuts <= 20
        }
        let length = isCut ? numbers.withLock { Int.random(in: 1..<max(2, rest / 4), using: &$0) } : rest
        served.withLock { $0 += length }
        return isCut ? reply.with(.breakOffAfter(bodyBytes: length)) : reply
      }
      var resumeData: Data?
      var file: URL?
      for _ in 0..<40 where file == nil {
        // Each attempt in a session of its own, as another process would make it.
        let session = URLSession(configuration: configuration)
        do {
          if let resumeData {
            file = try await session.download(resumeFrom: resumeData).0
          } else {
            file = try await session.download(from: server.url("/f")).0
          }
        } catch let error as URLError {
          resumeData = error.downloadTaskResumeData ?? resumeData
        }
        session.invalidateAndCancel()
      }
      #expect(try Data(contentsOf: #require(file)) == resource.bytes)
      #expect(cuts.withLock { $0 } == 21)
      // Everything that came was kept: no byte was fetched twice. Datagrams that were lost on the way aren't sent again by a connection that has
      // broken off.
      let count = served.withLock { $0 }
      #expect(wire == .h3 ? count >= resource.bytes.count : count == resource.bytes.count)
      #expect(folder.names.count == 1)
    }
  }

  @Test(arguments: Wire.allCases) func cancelProducesResumeDataThatANewSessionGoesOnWith(_ wire: Wire) async throws {
    let folder = try DownloadFolder()
    defer { folder.remove() }
    let resource = Resource(count: 100_000)
    try await folder.serve(wire) { server, configuration async throws in
      let gate = Gate()
      server.enqueue(Reply(headers: ["ETag": resource.tag], body: .bytes(resource.bytes)).with(.stallAfter(bodyBytes: 60_000, gate: gate)))
      server.route("/f") { resource.reply($0) }
      let writing = Signal()
      let recorder = DownloadRecorder(writing: writing)
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let task = session.downloadTask(with: server.url("/f"))
      task.resume()
      while task.countOfBytesReceived < 60_000 { await writing.wait() }
      let data = try #require(await task.cancelByProducingResumeData())
      let error = await recorder.end() as? URLError
      #expect(error?.code == .cancelled)
      #expect(error?.downloadTaskResumeData == data)
      #expect(await task.cancelByProducingResumeData() == nil)
      gate.open()
      session.invalidateAndCancel()

      let second = DownloadRecorder()
      let later = URLSession(configuration: configuration, delegate: second, delegateQueue: nil)
      let resumed = later.downloadTask(withResumeData: data)
      #expect(resumed.originalRequest?.url == server.url("/f"))
      let progress = resumed.progress
      resumed.resume()
      #expect(await second.end() == nil)
      #expect(second.events == ["resumed at 60000 of 100000", "written", "file", "metrics", "completed of download"])
      #expect(second.file == resource.bytes)
      #expect(second.written.last?.total == 100_000)
      #expect(second.written.reduce(0) { $0 + $1.bytes } == 40_000)
      #expect(resumed.countOfBytesReceived == 100_000)
      #expect(progress.fractionCompleted == 1)
      #expect(server.requests.last?.headers["Range"] == "bytes=60000-")
      #expect(server.requests.last?.headers["If-Range"] == resource.tag)
      #expect(server.requests.last?.headers["Accept-Encoding"] == "identity")
      later.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func changedResourceStartsOverAndSaysSo(_ wire: Wire) async throws {
    let folder = try DownloadFolder()
    defer { folder.remove() }
    let (old, new) = (Resource(count: 50_000), Resource(count: 40_000, seed: 9, tag: "\"two\""))
    try await folder.serve(wire) { server, configuration async throws in
      let data = try await broken(server, old, configuration, after: 20_000)
      server.route("/f") { new.reply($0) }
      let recorder = DownloadRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      session.downloadTask(withResumeData: data).resume()
      #expect(await recorder.end() == nil)
      #expect(recorder.events.first == "resumed at 0 of 40000")
      #expect(recorder.file == new.bytes)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func serverWithoutRangesStartsOver(_ wire: Wire) async throws {
    let folder = try DownloadFolder()
    defer { folder.remove() }
    let resource = Resource(count: 50_000)
    try await folder.serve(wire) { server, configuration async throws in
      let data = try await broken(server, resource, configuration, after: 20_000)
      server.enqueue(Reply(body: .bytes(resource.bytes)))
      let session = URLSession(configuration: configuration)
      let (file, _) = try await session.download(resumeFrom: data)
      #expect(try Data(contentsOf: file) == resource.bytes)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: [true, false], Wire.allCases) func partThatEndsEarlyIsntTakenForTheRest(isTotalTold: Bool, _ wire: Wire) async throws {
    let folder = try DownloadFolder()
    defer { folder.remove() }
    let resource = Resource(count: 50_000)
    try await folder.serve(wire) { server, configuration async throws in
      var data = try await broken(server, resource, configuration, after: 20_000)
      let part = Reply(
        206, headers: ["ETag": resource.tag, "Content-Range": "bytes 20000-29999/\(isTotalTold ? "50000" : "*")"],
        body: .bytes(resource.bytes[20_000..<30_000]))
      server.enqueue(part)
      server.route("/f") { resource.reply($0) }
      let session = URLSession(configuration: configuration)
      let error = await #expect(throws: URLError.self) { try await session.download(resumeFrom: data) }
      #expect(error?.code == .networkConnectionLost)
      data = try #require(error?.downloadTaskResumeData)
      let (file, _) = try await session.download(resumeFrom: data)
      let isWhole = try Data(contentsOf: file) == resource.bytes
      #expect(isWhole)
      #expect(server.requests.last?.headers["Range"] == "bytes=30000-")
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: [Reply.Framing.chunked, .untilClose], Wire.allCases)
  func partThatIsLongerThanItAnnouncesIsAnError(_ framing: Reply.Framing, _ wire: Wire) async throws {
    let folder = try DownloadFolder()
    defer { folder.remove() }
    let resource = Resource(count: 3_000_000)
    try await folder.serve(wire) { server, configuration async throws in
      var data = try await broken(server, resource, configuration, after: 1_500_000)
      server.route("/f") { request in
        guard let offset = Resource.offset(request) else { return resource.reply(request) }
        var part = resource.part(from: offset)
        part.body = .bytes(resource.bytes[offset...] + Data(repeating: 7, count: 500))
        part.framing = framing
        return part
      }
      let session = URLSession(configuration: configuration)
      for _ in 0..<2 {
        let error = await #expect(throws: URLError.self) { try await session.download(resumeFrom: data) }
        #expect(error?.code == .badServerResponse)
        data = try #require(error?.downloadTaskResumeData)
      }
      server.route("/f") { resource.reply($0) }
      let (file, _) = try await session.download(resumeFrom: data)
      let isWhole = try Data(contentsOf: file) == resource.bytes
      #expect(isWhole)
      // No attempt has begun behind the end.
      #expect(server.requests.compactMap(Resource.offset).allSatisfy { $0 < 3_000_000 })
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: ["bytes 20000-50001/50000", "bytes 10000-49999/50000", nil], Wire.allCases)
  func wrongPartIsFollowedByTheWhole(range: String?, _ wire: Wire) async throws {
    let folder = try DownloadFolder()
    defer { folder.remove() }
    let resource = Resource(count: 50_000)
    try await folder.serve(wire) { server, configuration async throws in
      let data = try await broken(server, resource, configuration, after: 20_000)
      // The server errs over every part, however often it is asked for one.
      server.route("/f") { request in
        guard Resource.offset(request) != nil else { return resource.reply(request) }
        var part = resource.part(from: 20_000)
        part.headers["Content-Range"] = range
        return part
      }
      let session = URLSession(configuration: configuration)
      let (file, _) = try await session.download(resumeFrom: data)
      let isWhole = try Data(contentsOf: file) == resource.bytes
      #expect(isWhole)
      #expect(server.requests.suffix(2).map { $0.headers["Range"] } == ["bytes=20000-", nil])
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func resumptionThatFailedCanBeTriedAgain(_ wire: Wire) async throws {
    let folder = try DownloadFolder()
    defer { folder.remove() }
    let resource = Resource(count: 50_000)
    try await folder.serve(wire) { server, configuration async throws in
      let data = try await broken(server, resource, configuration, after: 20_000)
      var wrong = resource.part(from: 20_000)
      wrong.headers["Content-Range"] = "bytes 20000-50001/50000"
      // The wrong part, and then a connection that breaks in the whole that is asked for.
      server.enqueue(wrong, Reply(headers: ["ETag": resource.tag], body: .bytes(resource.bytes)).with(.breakOffAfter(bodyBytes: 30_000)))
      server.route("/f") { resource.reply($0) }
      let session = URLSession(configuration: configuration)
      let error = await #expect(throws: URLError.self) { try await session.download(resumeFrom: data) }
      let (file, _) = try await session.download(resumeFrom: #require(error?.downloadTaskResumeData))
      let isWhole = try Data(contentsOf: file) == resource.bytes
      #expect(isWhole)
      #expect(server.requests.last?.headers["Range"] == "bytes=30000-")
      // The older data still leads to the file, from its beginning.
      let (again, _) = try await session.download(resumeFrom: data)
      let isWholeAgain = try Data(contentsOf: again) == resource.bytes
      #expect(isWholeAgain)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func unsatisfiableRangeIsAskedForAnewWithoutOne(_ wire: Wire) async throws {
    let folder = try DownloadFolder()
    defer { folder.remove() }
    let resource = Resource(count: 50_000)
    try await folder.serve(wire) { server, configuration async throws in
      let data = try await broken(server, resource, configuration, after: 20_000)
      server.enqueue(Reply(416, headers: ["Content-Range": "bytes */10"]), Reply(body: .bytes(resource.bytes)))
      let session = URLSession(configuration: configuration)
      let (file, _) = try await session.download(resumeFrom: data)
      #expect(try Data(contentsOf: file) == resource.bytes)
      #expect(server.requests.last?.headers["Range"] == nil)
      #expect(folder.names.count == 1)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func errorPageLeavesWhatHasArrivedAlone(_ wire: Wire) async throws {
    let folder = try DownloadFolder()
    defer { folder.remove() }
    let resource = Resource(count: 50_000)
    try await folder.serve(wire) { server, configuration async throws in
      let data = try await broken(server, resource, configuration, after: 20_000)
      server.enqueue(Reply(503, body: .text("later")))
      server.route("/f") { resource.reply($0) }
      let session = URLSession(configuration: configuration)
      let (page, response) = try await session.download(resumeFrom: data)
      #expect((response as? HTTPURLResponse)?.statusCode == 503)
      #expect(try String(contentsOf: page, encoding: .utf8) == "later")
      let (file, _) = try await session.download(resumeFrom: data)
      #expect(try Data(contentsOf: file) == resource.bytes)
      #expect(server.requests.last?.headers["Range"] == "bytes=20000-")
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func missingPartialFileStartsOver(_ wire: Wire) async throws {
    let folder = try DownloadFolder()
    defer { folder.remove() }
    let resource = Resource(count: 50_000)
    try await folder.serve(wire) { server, configuration async throws in
      let data = try await broken(server, resource, configuration, after: 20_000)
      for name in folder.names { try FileManager.default.removeItem(at: folder.url.appending(path: name)) }
      server.route("/f") { resource.reply($0) }
      let recorder = DownloadRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      session.downloadTask(withResumeData: data).resume()
      #expect(await recorder.end() == nil)
      #expect(recorder.events.first == "resumed at 0 of 50000")
      #expect(recorder.file == resource.bytes)
      session.invalidateAndCancel()
    }
  }

  @Test func damagedResumeDataEndsInAnError() async throws {
    let session = URLSession(configuration: .testing())
    for data in [
      Data(), Data("nonsense".utf8), try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .binary, options: 0),
    ] {
      let error = await #expect(throws: URLError.self) { try await session.download(resumeFrom: data) }
      #expect(error?.code == .unsupportedURL)
    }
    session.invalidateAndCancel()
  }

  @Test(arguments: Wire.allCases) func withoutAValidatorThereIsNoResumeData(_ wire: Wire) async throws {
    let folder = try DownloadFolder()
    defer { folder.remove() }
    try await folder.serve(wire) { server, configuration async throws in
      server.enqueue(Reply(body: .pattern(count: 5000), faults: [.breakOffAfter(bodyBytes: 2500)]))
      let session = URLSession(configuration: configuration)
      let error = await #expect(throws: URLError.self) { try await session.download(from: server.url()) }
      #expect(error?.code == .networkConnectionLost)
      #expect(error?.downloadTaskResumeData == nil)
      #expect(folder.names.isEmpty)
      session.invalidateAndCancel()
    }
  }
}
