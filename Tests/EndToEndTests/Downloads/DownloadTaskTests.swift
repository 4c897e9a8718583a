import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct DownloadTaskTests {
  @Test(arguments: Wire.allCases) func delegateIsToldInOrderAndTheFileGoesAfterwards(_ wire: Wire) async throws {
    let folder = try DownloadFolder()
    defer { folder.remove() }
    let resource = Resource(count: 300_000)
    try await folder.serve(wire) { server, configuration async throws in
      server.route("/f") { resource.reply($0) }
      let recorder = DownloadRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let task = session.downloadTask(with: server.url("/f"))
      let progress = task.progress
      task.resume()
      #expect(await recorder.end() == nil)
      #expect(recorder.events == ["written", "file", "metrics", "completed of download"])
      #expect(recorder.file == resource.bytes)
      #expect(recorder.written.reduce(0) { $0 + $1.bytes } == 300_000)
      #expect(recorder.written.last?.total == 300_000)
      #expect(recorder.written.allSatisfy { $0.expected == 300_000 })
      #expect(recorder.location?.lastPathComponent.hasPrefix("CFNetworkDownload_") == true)
      #expect(recorder.location?.pathExtension == "tmp")
      #expect(folder.names.isEmpty)
      #expect(task.countOfBytesReceived == 300_000)
      #expect(task.countOfBytesExpectedToReceive == 300_000)
      #expect(progress.fractionCompleted == 1)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func completionHandlerMayMoveTheFile(_ wire: Wire) async throws {
    let folder = try DownloadFolder()
    defer { folder.remove() }
    let kept = folder.url.appending(path: "kept")
    try await folder.serve(wire) { server, configuration async throws in
      server.enqueue(Reply(body: .pattern(count: 5000)), Reply(404, body: .text("no such file")))
      let session = URLSession(configuration: configuration)
      let signal = Signal()
      session.downloadTask(with: server.url()) { location, response, error in
        if let location { try? FileManager.default.moveItem(at: location, to: kept) }
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(error == nil)
        signal.send()
      }.resume()
      await signal.wait()
      #expect(try Data(contentsOf: kept).count == 5000)
      // An error status is a file like any other.
      session.downloadTask(with: server.url()) { location, response, error in
        #expect(location.flatMap { try? String(contentsOf: $0, encoding: .utf8) } == "no such file")
        #expect((response as? HTTPURLResponse)?.statusCode == 404)
        signal.send()
      }.resume()
      await signal.wait()
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func asyncCallerOwnsTheFile(_ wire: Wire) async throws {
    let folder = try DownloadFolder()
    defer { folder.remove() }
    try await folder.serve(wire) { server, configuration async throws in
      server.enqueue(Reply(body: .pattern(count: 5000)), Reply.gzip(Data("packed".utf8)), Reply())
      let session = URLSession(configuration: configuration)
      let (file, response) = try await session.download(from: server.url())
      #expect(try Data(contentsOf: file).count == 5000)
      #expect(response.expectedContentLength == 5000)
      let (unpacked, _) = try await session.download(for: URLRequest(url: server.url()))
      #expect(try String(contentsOf: unpacked, encoding: .utf8) == "packed")
      let (empty, _) = try await session.download(from: server.url())
      #expect(try Data(contentsOf: empty).isEmpty)
      #expect(folder.names.count == 3)
      session.invalidateAndCancel()
    }
  }

  @Test func fileAndDataURLsAreDownloaded() async throws {
    let folder = try DownloadFolder()
    defer { folder.remove() }
    let source = folder.url.appending(path: "source")
    try Data("content".utf8).write(to: source)
    let session = URLSession(configuration: folder.configuration)
    let (copy, _) = try await session.download(from: source)
    #expect(copy != source)
    #expect(try String(contentsOf: copy, encoding: .utf8) == "content")
    let (data, _) = try await session.download(from: #require(URL(string: "data:,abc")))
    #expect(try String(contentsOf: data, encoding: .utf8) == "abc")
    session.invalidateAndCancel()
  }

  @Test(arguments: Wire.allCases) func dataTaskBecomesADownload(_ wire: Wire) async throws {
    let folder = try DownloadFolder()
    defer { folder.remove() }
    let resource = Resource(count: 200_000)
    try await folder.serve(wire) { server, configuration async throws in
      server.route("/f") { resource.reply($0) }
      let recorder = DownloadRecorder(disposition: .becomeDownload)
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let task = session.dataTask(with: server.url("/f"))
      task.resume()
      #expect(await recorder.end() == nil)
      #expect(recorder.events == ["response", "became download", "written", "file", "metrics", "completed of download"])
      #expect(recorder.file == resource.bytes)
      #expect(task.state == .completed)
      #expect(await session.allTasks.isEmpty)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func slowDelegateIsToldOfManyPiecesAtOnce(_ wire: Wire) async throws {
    let folder = try DownloadFolder()
    defer { folder.remove() }
    let resource = Resource(count: 2_000_000)
    try await folder.serve(wire) { server, configuration async throws in
      server.route("/f") { resource.reply($0) }
      let (gate, writing) = (DispatchSemaphore(value: 0), Signal())
      let recorder = DownloadRecorder(writing: writing, gate: gate)
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let task = session.downloadTask(with: server.url("/f"))
      task.resume()
      await writing.wait()
      // The load continues to its end while the delegate hasn't answered the first piece.
      try await server.wait { task.countOfBytesReceived == 2_000_000 }
      #expect(recorder.written.count == 1)
      gate.signal()
      #expect(await recorder.end() == nil)
      // One message at a time waits, whose counts are those of when it is delivered.
      #expect(recorder.written.count <= 2)
      #expect(recorder.written.last?.total == 2_000_000)
      session.invalidateAndCancel()
    }
  }

  // MARK: disks

  @Test(arguments: Wire.allCases) func folderThatCannotBeWrittenIsNamed(_ wire: Wire) async throws {
    let folder = try DownloadFolder()
    defer { folder.remove() }
    try await folder.serve(wire) { server, configuration async throws in
      server.enqueue(Reply(body: .pattern(count: 5000)))
      // Root may write anywhere, so the folder is one that can't have files.
      configuration.downloadFolder = URL(filePath: "/proc/self", directoryHint: .isDirectory)
      let session = URLSession(configuration: configuration)
      let error = await #expect(throws: URLError.self) { try await session.download(from: server.url()) }
      #expect(error?.code == .cannotCreateFile)
      #expect(error?.localizedDescription.contains("/proc/self") == true)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func plainCancellationLeavesNothing(_ wire: Wire) async throws {
    let folder = try DownloadFolder()
    defer { folder.remove() }
    try await folder.serve(wire) { server, configuration async throws in
      let gate = Gate()
      let reply = Reply(headers: ["ETag": "\"a\""], body: .pattern(count: 5000), faults: [.stallAfter(bodyBytes: 2500, gate: gate)])
      server.enqueue(reply)
      let writing = Signal()
      let recorder = DownloadRecorder(writing: writing)
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let task = session.downloadTask(with: server.url())
      task.resume()
      await writing.wait()
      task.cancel()
      let error = await recorder.end() as? URLError
      #expect(error?.code == .cancelled)
      #expect(error?.downloadTaskResumeData == nil)
      #expect(!recorder.events.contains("file"))
      #expect(folder.names.isEmpty)
      gate.open()
      session.invalidateAndCancel()
    }
  }
}
