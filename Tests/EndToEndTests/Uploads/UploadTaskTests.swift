import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct UploadTaskTests {
  private static let alphabet = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
  private static func letters(_ count: Int) -> Data { Data(alphabet.prefix(count)) }

  @Test(arguments: [0, 1, 65_537, 3_000_000], Wire.allCases) func fileOfAnySizeIsSentWhole(_ size: Int, _ wire: Wire) async throws {
    try await wire.serve({ $0.recordedBodyLimit = 4 << 20 }) { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      let file = try SourceFile(UploadTaskTests.letters(size))
      server.enqueue(.text("ok"), .text("ok"))
      for _ in 0..<2 {
        let (data, _) = try await session.upload(for: URLRequest("PUT", server.url()), fromFile: file.url)
        #expect(data == Data("ok".utf8))
      }
      for request in server.requests {
        #expect(request.headers["Content-Length"] == "\(size)")
        #expect(request.headers["Transfer-Encoding"] == nil)
        #expect(request.body == file.content)
      }
      #expect(server.acceptedConnections == 1)
      session.invalidateAndCancel()
    }
  }

  /// The kernel makes this file's content when it is read: its size is 0.
  @Test(arguments: Wire.allCases) func fileOfUnknownSizeIsSentWhole(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.route("/", reply: .text("ok"))
      let file = URL(filePath: "/proc/sys/kernel/ostype")
      _ = try await session.upload(for: URLRequest("PUT", server.url()), fromFile: file)
      let request = try #require(server.requests.first)
      #expect(request.body == (try Data(contentsOf: file)))
      #expect(request.headers["Content-Length"] == nil)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func dataIsSentByEveryFactory(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      server.route("/", reply: .text("ok"))
      let body = Data("content".utf8)
      let told = session.uploadTask(with: URLRequest("POST", server.url()), from: body)
      #expect(told.countOfBytesExpectedToSend == 7)
      told.resume()
      #expect(await recorder.completion(of: told) == nil)
      #expect(recorder.milestones == [.created, .response(status: 200), .metrics(transactions: 1), .completed(code: nil)])
      #expect(recorder.body == Data("ok".utf8))
      #expect(told.countOfBytesSent == 7)
      let log = CompletionLog()
      session.uploadTask(with: URLRequest("POST", server.url()), from: body, completionHandler: log.handler).resume()
      #expect(await log.call().data == Data("ok".utf8))
      _ = try await session.upload(for: URLRequest("POST", server.url()), from: body)
      #expect(server.requests.map(\.text) == ["content", "content", "content"])
      session.invalidateAndCancel()
    }
  }

  /// Queues of uploads add up what is to be sent before they begin.
  @Test func lengthOfAFileIsThereBeforeItIsSent() async throws {
    let session = URLSession(configuration: .testing())
    let request = URLRequest("PUT", try #require(URL(string: "http://127.0.0.1:9/")))
    let file = try SourceFile(UploadTaskTests.letters(70_000))
    let task = session.uploadTask(with: request, fromFile: file.url)
    #expect(task.countOfBytesExpectedToSend == 70_000)
    #expect(task.progress.totalUnitCount == 70_000 && task.progress.completedUnitCount == 0)
    #expect(session.uploadTask(with: request, fromFile: file.url).progress.totalUnitCount == 70_000)
    let missing = file.url.deletingLastPathComponent().appending(path: UUID().uuidString)
    for url in [missing, missing.deletingLastPathComponent(), URL(filePath: "/dev/null")] {
      let task = session.uploadTask(with: request, fromFile: url)
      #expect(task.countOfBytesExpectedToSend == NSURLSessionTransferSizeUnknown && task.progress.totalUnitCount == -1)
    }
    session.invalidateAndCancel()
  }

  @Test(arguments: Wire.allCases) func nilBodyOfACompletionTaskIsNoBody(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(.text("ok"))
      let log = CompletionLog()
      session.uploadTask(with: URLRequest("POST", server.url()), from: nil, completionHandler: log.handler).resume()
      #expect(await log.call().error == nil)
      #expect(server.requests[0].headers["Content-Length"] == "0")
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func bodyOfTheRequestItselfIsIgnored(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(.text("ok"))
      let request = URLRequest("POST", server.url(), body: Data("ignored".utf8))
      _ = try await session.upload(for: request, from: Data("sent".utf8))
      #expect(server.requests.map(\.text) == ["sent"])
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func requestsOfAnUploadTaskAreAsGiven(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      server.route("/", reply: .text("ok"))
      server.route("/from", reply: .redirect(to: "/", status: 307))
      let file = try SourceFile(Data("sent".utf8))
      let own = Data("own".utf8)
      for path in ["/", "/from"] {
        let request = URLRequest("PUT", server.url(path), body: own)
        for task in [session.uploadTask(with: request, from: file.content), session.uploadTask(with: request, fromFile: file.url)] {
          #expect(task.originalRequest == request)
          #expect(task.currentRequest == request)
          task.resume()
          #expect(await recorder.completion(of: task) == nil)
          #expect(task.originalRequest == request)
          #expect(task.currentRequest?.url == server.url("/"))
          #expect(task.currentRequest?.httpBody == own)
        }
      }
      #expect(server.requests.map(\.text) == Array(repeating: "sent", count: 6))
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func uploadDoesNotChangeTheMethod(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      let error = await #expect(throws: URLError.self) {
        try await session.upload(for: URLRequest(url: server.url()), from: Data("content".utf8))
      }
      #expect(error?.code == .dataLengthExceedsMaximum)
      #expect(server.requests.isEmpty)
      session.invalidateAndCancel()
    }
  }

  @Test func uploadTasksAreListedAsUploads() async throws {
    let session = URLSession(configuration: .testing())
    let task = session.uploadTask(with: URLRequest("PUT", try #require(URL(string: "http://localhost/"))), from: Data())
    let (data, uploads, downloads) = await session.tasks
    #expect(data.isEmpty)
    #expect(uploads == [task])
    #expect(downloads.isEmpty)
    session.invalidateAndCancel()
  }

  // MARK: files that can't be sent

  @Test(arguments: Wire.allCases) func missingFileIsItsOwnError(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      let missing = URL(fileURLWithPath: "/nonexistent/file")
      let error = await #expect(throws: URLError.self) {
        try await session.upload(for: URLRequest("PUT", server.url()), fromFile: missing)
      }
      #expect(error?.code == .fileDoesNotExist)
      let directory = await #expect(throws: URLError.self) {
        try await session.upload(for: URLRequest("PUT", server.url()), fromFile: FileManager.default.temporaryDirectory)
      }
      #expect(directory?.code == .fileIsDirectory)
      #expect(server.requests.isEmpty)
      session.invalidateAndCancel()
    }
  }

  // MARK: streams

  @Test(arguments: [true, false], Wire.allCases) func streamedTaskAsksForItsFirstBody(withLength: Bool, _ wire: Wire) async throws {
    try await wire.serve({ $0.recordedBodyLimit = 1 << 20 }) { server, configuration async throws in
      let content = UploadTaskTests.letters(200_000)
      let supplier = BodySupplier(content)
      let session = URLSession(configuration: configuration, delegate: supplier, delegateQueue: nil)
      server.enqueue(.text("ok"))
      var request = URLRequest("PUT", server.url())
      if withLength { request.setValue("200000", forHTTPHeaderField: "Content-Length") }
      let task = session.uploadTask(withStreamedRequest: request)
      #expect(task.countOfBytesExpectedToSend == (withLength ? 200_000 : -1))
      task.resume()
      #expect(await supplier.completion() == nil)
      #expect(supplier.asked == 1)
      #expect(server.requests.map(\.body) == [content])
      #expect(server.requests[0].headers["Transfer-Encoding"] == (withLength || wire.isMultiplexed ? nil : "chunked"))
      #expect(task.countOfBytesSent == 200_000)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func streamedTaskWithoutDelegateIsAnError(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let supplier = BodySupplier(nil)
      let session = URLSession(configuration: configuration, delegate: supplier, delegateQueue: nil)
      session.uploadTask(withStreamedRequest: URLRequest("PUT", server.url())).resume()
      #expect((await supplier.completion() as? URLError)?.code == .requestBodyStreamExhausted)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: [307, 308], Wire.allCases) func redirectAsksForTheStreamAgain(_ status: Int, _ wire: Wire) async throws {
    try await wire.serve({ $0.recordedBodyLimit = 1 << 20 }) { server, configuration async throws in
      let supplier = BodySupplier(UploadTaskTests.letters(100_000))
      let session = URLSession(configuration: configuration, delegate: supplier, delegateQueue: nil)
      server.enqueue(.redirect(to: "/to", status: status), .text("ok"))
      session.uploadTask(withStreamedRequest: URLRequest("PUT", server.url("/from"))).resume()
      #expect(await supplier.completion() == nil)
      #expect(supplier.asked == 2)
      #expect(server.requests.map(\.bodyLength) == [100_000, 100_000])
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func challengeAsksForTheStreamAgain(_ wire: Wire) async throws {
    try await wire.serve({ $0.recordedBodyLimit = 1 << 20 }) { server, configuration async throws in
      let supplier = BodySupplier(UploadTaskTests.letters(100_000))
      let session = URLSession(configuration: configuration, delegate: supplier, delegateQueue: nil)
      server.enqueue(Reply(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""]), .text("ok"))
      session.uploadTask(withStreamedRequest: URLRequest("PUT", server.url())).resume()
      #expect(await supplier.completion() == nil)
      #expect(supplier.asked == 2)
      #expect(server.requests.map(\.bodyLength) == [100_000, 100_000])
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func fileIsSentAgainAfterARedirect(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      let file = try SourceFile(UploadTaskTests.letters(1_000_000))
      server.enqueue(.redirect(to: "/to", status: 307), .text("ok"))
      _ = try await session.upload(for: URLRequest("PUT", server.url("/from")), fromFile: file.url)
      #expect(server.requests.map(\.bodyLength) == [1_000_000, 1_000_000])
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func boundStreamsFeedAnUpload(_ wire: Wire) async throws {
    try await wire.serve({ $0.recordedBodyLimit = 1 << 20 }) { server, configuration async throws in
      let content = UploadTaskTests.letters(300_000)
      var (input, output): (InputStream?, OutputStream?)
      Stream.getBoundStreams(withBufferSize: 4096, inputStream: &input, outputStream: &output)
      let writer = StreamWriter(try #require(output), content)
      let session = URLSession(configuration: configuration)
      server.enqueue(.text("ok"))
      var request = URLRequest("PUT", server.url())
      request.httpBodyStream = input
      writer.start()
      _ = try await session.data(for: request)
      #expect(server.requests.map(\.body) == [content])
      session.invalidateAndCancel()
    }
  }

  // MARK: progress

  @Test(arguments: [10, 65_536, 3_000_000], Wire.allCases) func progressOfAnUploadEndsAtItsSize(_ size: Int, _ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let file = try SourceFile(UploadTaskTests.letters(size))
      server.enqueue(.text("done"))
      let task = session.uploadTask(with: URLRequest("PUT", server.url()), fromFile: file.url)
      let parent = Progress(totalUnitCount: 1)
      parent.addChild(task.progress, withPendingUnitCount: 1)
      task.resume()
      #expect(await recorder.completion(of: task) == nil)
      let totals = recorder.events.compactMap { if case .sent(let total) = $0 { total } else { nil } }
      #expect(totals == totals.sorted())
      #expect(totals.last == Int64(size))
      #expect(task.countOfBytesSent == Int64(size))
      #expect(task.countOfBytesExpectedToSend == Int64(size))
      #expect(task.progress.completedUnitCount == Int64(size) + 4)
      #expect(task.progress.fractionCompleted == 1)
      #expect(parent.fractionCompleted == 1)
      session.invalidateAndCancel()
    }
  }
}

extension UploadTaskTests {
  @Test(arguments: Wire.allCases) func fileThatChangesWhileItIsSentIsAnError(_ wire: Wire) async throws {
    try await wire.serve({ $0.receiveBufferSize = 65_536 }) { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      let file = try SourceFile(Data(count: 32 << 20))
      let gate = Gate()
      server.route("/", reply: .text("done").with(.slowReader(gate)))
      let log = CompletionLog()
      session.uploadTask(with: URLRequest("PUT", server.url()), fromFile: file.url, completionHandler: log.handler).resume()
      try await gate.reached()
      let handle = try FileHandle(forWritingTo: file.url)
      try handle.truncate(atOffset: 20 << 20)
      try handle.close()
      gate.open()
      #expect(await log.call().code == URLError.Code.requestBodyStreamExhausted.rawValue)
      session.invalidateAndCancel()
    }
  }
}
