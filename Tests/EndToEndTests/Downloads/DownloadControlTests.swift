import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Downloads that are suspended, joined to a parent progress, made of data tasks, or resumed after the resource has changed.
@Suite(.timeLimit(.minutes(10))) struct DownloadControlTests {
  private static let size = 48 << 20

  @Test(arguments: Wire.allCases) func suspendedDownloadHoldsTheServerBackAndGoesOn(_ wire: Wire) async throws {
    let folder = try DownloadFolder()
    defer { folder.remove() }
    try await wire.serve({ $0.sendBufferSize = 65_536 }) { server, configuration async throws in
      let hold = Gate()
      server.route("/f", reply: Reply(body: .pattern(count: Self.size), faults: [.stallAfter(bodyBytes: 1 << 20, gate: hold)]))
      configuration.downloadFolder = folder.url
      let (writing, gate) = (Signal(), DispatchSemaphore(value: 0))
      let recorder = DownloadRecorder(writing: writing, gate: gate, keepsFile: false)
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let task = session.downloadTask(with: server.url("/f"))
      task.resume()
      await writing.wait()
      task.suspend()
      gate.signal()
      await session.barrier()
      hold.open()
      try await settle(server)
      let received = task.countOfBytesReceived
      #expect(received < Int64(Self.size) && server.sentBytes < 32 << 20)
      try await settle(server)
      #expect(task.countOfBytesReceived == received && task.state == .suspended)
      task.resume()
      #expect(await recorder.end() == nil)
      #expect(recorder.written.last?.total == Int64(Self.size))
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func parentProgressShowsPausesAndCancelsADownload(_ wire: Wire) async throws {
    let folder = try DownloadFolder()
    defer { folder.remove() }
    try await folder.serve(wire) { server, configuration async throws in
      let gate = Gate()
      let body = Reply(headers: ["ETag": "\"a\""], body: .pattern(count: 1000), faults: [.stallAfter(bodyBytes: 500, gate: gate)])
      server.enqueue(body, body)
      let writing = Signal()
      let recorder = DownloadRecorder(writing: writing)
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let parent = Progress(totalUnitCount: 4)
      let task = session.downloadTask(with: server.url())
      parent.addChild(task.progress, withPendingUnitCount: 2)
      let paused = Signal()
      let pause = task.progress.pausingHandler
      task.progress.pausingHandler = {
        pause?()
        paused.send()
      }
      task.resume()
      await writing.wait()
      #expect(task.progress.fractionCompleted == 0.5 && parent.fractionCompleted == 0.25)
      parent.pause()
      await paused.wait()
      #expect(task.state == .suspended)
      parent.cancel()
      #expect((await recorder.end() as? URLError)?.code == .cancelled)
      #expect(task.progress.isCancelled && parent.fractionCompleted == 0.25)
      #expect(folder.names.isEmpty)
      gate.open()
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func downloadMadeUnderACurrentProgressIsAPartOfIt(_ wire: Wire) async throws {
    let folder = try DownloadFolder()
    defer { folder.remove() }
    try await folder.serve(wire) { server, configuration async throws in
      server.enqueue(Reply.gzip(Data(repeating: 0x61, count: 100_000)), Reply(body: .pattern(count: 1000), framing: .chunked))
      let session = URLSession(configuration: configuration)
      let parent = Progress(totalUnitCount: 2)
      for half in [0.5, 1] {
        let done = Signal()
        let task = parent.current(for: 1) { session.downloadTask(with: server.url()) { _, _, _ in done.send() } }
        task.resume()
        await done.wait()
        #expect(task.progress.isFinished && parent.fractionCompleted == half)
      }
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func dataTaskThatBecomesADownloadIsNotCached(_ wire: Wire) async throws {
    let folder = try DownloadFolder()
    defer { folder.remove() }
    let fresh: HeaderList = ["Cache-Control": "max-age=1000", "ETag": "\"one\""]
    try await folder.serve(wire) { server, configuration async throws in
      server.route("/f", reply: Reply(headers: fresh, body: .pattern(count: 100_000)))
      server.route("/empty", reply: Reply(headers: fresh))
      let cache = URLCache(memoryCapacity: 4_000_000, diskCapacity: 0)
      configuration.urlCache = cache
      for (path, kept) in [("/f", 100_000), ("/empty", 0)] {
        let recorder = DownloadRecorder(disposition: .becomeDownload)
        let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
        session.dataTask(with: server.url(path)).resume()
        #expect(await recorder.end() == nil)
        #expect(recorder.file?.count == kept)
        #expect(cache.cachedResponse(for: URLRequest(url: server.url(path))) == nil)
        #expect(cache.currentMemoryUsage == 0)
        // The same response to a task that stays one is.
        _ = try await session.data(from: server.url(path))
        #expect(cache.cachedResponse(for: URLRequest(url: server.url(path))) != nil)
        cache.removeAllCachedResponses()
        session.invalidateAndCancel()
      }
    }
  }

  // MARK: resources that change

  private static let noon = "Sat, 01 Feb 2025 12:00:00 GMT"
  private static let later = "Sat, 01 Feb 2025 13:00:00 GMT"

  /// A resource with a date and no tag.
  private static func dated(_ resource: Resource, _ date: String) -> @Sendable (RecordedRequest) -> Reply {
    { request in
      guard let offset = Resource.offset(request), request.headers["If-Range"] == date else {
        return Reply(headers: ["Last-Modified": date], body: .bytes(resource.bytes))
      }
      var part = resource.part(from: offset)
      part.headers["ETag"] = nil
      part.headers["Last-Modified"] = date
      return part
    }
  }

  @Test(arguments: [noon, later], Wire.allCases) func dateTellsWhetherTheResourceIsStillTheSame(_ date: String, _ wire: Wire) async throws {
    let folder = try DownloadFolder()
    defer { folder.remove() }
    let (old, new) = (Resource(count: 50_000), Resource(count: 60_000, seed: 2))
    let isSame = date == Self.noon
    try await folder.serve(wire) { server, configuration async throws in
      server.enqueue(
        Reply(headers: ["Last-Modified": Self.noon], body: .bytes(old.bytes), faults: [.breakOffAfter(bodyBytes: 20_000)]))
      let session = URLSession(configuration: configuration)
      let error = await #expect(throws: URLError.self) { try await session.download(from: server.url("/f")) }
      let data = try #require(error?.downloadTaskResumeData)
      session.invalidateAndCancel()

      let answer = Self.dated(isSame ? old : new, date)
      server.route("/f") { answer($0) }
      let recorder = DownloadRecorder()
      let second = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      second.downloadTask(withResumeData: data).resume()
      #expect(await recorder.end() == nil)
      #expect(recorder.events.first == (isSame ? "resumed at 20000 of 50000" : "resumed at 0 of 60000"))
      #expect(recorder.file == (isSame ? old : new).bytes)
      #expect(server.requests.last?.headers["If-Range"] == Self.noon)
      #expect(folder.names.isEmpty)
      second.invalidateAndCancel()
    }
  }

  /// The new version takes the old one's place in a file of its own, and can break and be resumed as well.
  @Test(arguments: Wire.allCases) func changedResourceThatBreaksGoesOnAsTheNewOne(_ wire: Wire) async throws {
    let folder = try DownloadFolder()
    defer { folder.remove() }
    let (old, new) = (Resource(count: 50_000), Resource(count: 40_000, seed: 9, tag: "\"two\""))
    try await folder.serve(wire) { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      func breaking(_ body: () async throws -> Void) async throws -> Data {
        let error = await #expect(throws: URLError.self) { try await body() }
        return try #require(error?.downloadTaskResumeData)
      }
      server.enqueue(old.whole.with(.breakOffAfter(bodyBytes: 20_000)), new.whole.with(.breakOffAfter(bodyBytes: 10_000)))
      let first = try await breaking { _ = try await session.download(from: server.url("/f")) }
      let names = folder.names
      let second = try await breaking { _ = try await session.download(resumeFrom: first) }
      // What is there of the new version, and nothing of the old.
      #expect(folder.names.count == 1 && folder.names != names)
      server.route("/f") { new.reply($0) }
      let (file, _) = try await session.download(resumeFrom: second)
      #expect(try Data(contentsOf: file) == new.bytes)
      #expect(server.requests.last?.headers["Range"] == "bytes=10000-")
      #expect(folder.names == [file.lastPathComponent])
      session.invalidateAndCancel()
    }
  }
}

extension Resource {
  /// All of it, whatever was asked for.
  fileprivate var whole: Reply { Reply(headers: ["ETag": tag], body: .bytes(bytes)) }
}
