import Foundation
import LoadingModel
import SeededNumbers
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct StreamTaskTests {
  private static let notConnected = Int(POSIXErrorCode.ENOTCONN.rawValue)

  // MARK: reading and writing

  @Test(arguments: ["127.0.0.1", "localhost"]) func whatIsWrittenComesBack(_ host: String) async throws {
    try await StreamBench.with([.echo], host: host) { bench async throws in
      bench.task.resume()
      for word in ["hello", "world"] {
        try await bench.task.send(word)
        #expect(try await bench.task.text(atLeast: 5) == word)
      }
      #expect(bench.task.countOfBytesSent == 10)
      #expect(bench.task.countOfBytesReceived == 10)
      #expect(bench.task.originalRequest == nil)
      #expect(bench.task.currentRequest == nil)
      #expect(bench.task.response == nil)
    }
  }

  @Test func whatIsAskedForBeforeTheTaskStartsIsDoneThen() async throws {
    try await StreamBench.with([.echo]) { bench async throws in
      let log = CallLog()
      bench.task.write(Data("abc".utf8), timeout: 0) { log.add($0.map { "\($0)" } ?? "written") }
      bench.task.readData(ofMinLength: 3, maxLength: 3, timeout: 0) { data, _, _ in log.add(String(decoding: data ?? Data(), as: UTF8.self))
      }
      await bench.session.barrier()
      #expect(log.calls.isEmpty)
      bench.task.resume()
      #expect(await log.calls(2) == ["written", "abc"])
    }
  }

  @Test func readsWaitForTheirMinimumAndStopAtTheirMaximum() async throws {
    let gate = Gate()
    try await StreamBench.with([.send("abcdefg"), .wait(gate), .send("hij")]) { bench async throws in
      bench.task.resume()
      #expect(try await bench.task.text(atLeast: 1, atMost: 4).count <= 4)
      let rest = Task { try await bench.task.text(atLeast: 6, atMost: 100) }
      try await gate.reached()
      gate.open()
      #expect(try await rest.value.hasSuffix("hij"))
    }
  }

  @Test func readsThatWaitAreServedInOrder() async throws {
    let gate = Gate()
    try await StreamBench.with([.read(count: 1), .wait(gate), .send("aabbcc")]) { bench async throws in
      let log = CallLog()
      for _ in 0..<3 {
        bench.task.readData(ofMinLength: 2, maxLength: 2, timeout: 0) { data, _, _ in
          log.add(String(decoding: data ?? Data(), as: UTF8.self))
        }
      }
      bench.task.resume()
      // A read that waits doesn't hold up a write.
      try await bench.task.send("x")
      gate.open()
      #expect(await log.calls(3) == ["aa", "bb", "cc"])
    }
  }

  @Test func readsOfNothingAreRefused() async throws {
    try await StreamBench.with([.echo]) { bench async throws in
      bench.task.resume()
      let code = await errorCode { _ = try await bench.task.readData(ofMinLength: 0, maxLength: 0, timeout: 0) }
      #expect(code == Int(POSIXErrorCode.EINVAL.rawValue))
      try await bench.task.send("x")
      // A minimum of 0 waits for something all the same, and one above the maximum means the maximum.
      #expect(try await bench.task.text(atLeast: 0) == "x")
      try await bench.task.send("abc")
      #expect(try await bench.task.text(atLeast: 50, atMost: 3) == "abc")
    }
  }

  @Test func anEmptyWriteCompletes() async throws {
    try await StreamBench.with([.echo]) { bench async throws in
      bench.task.resume()
      try await bench.task.write(Data(), timeout: 0)
      try await bench.task.send("x")
      #expect(try await bench.task.text() == "x")
    }
  }

  @Test(arguments: [1, 2, 3], [false, true]) func anyCutOfTheBytesIsTheSameStream(_ seed: UInt64, _ isSecured: Bool) async throws {
    let authority = try TestCertificateAuthority()
    let steps: [RawStep] = isSecured ? [.startTLS(try authority.issue()), .echo] : [.echo]
    try await StreamBench.with(steps, configuration: .testing(trusting: authority)) { bench async throws in
      bench.task.resume()
      if isSecured { bench.task.startSecureConnection() }
      var numbers = SeededNumbers(seed: seed)
      let content = Data((0..<400_000).map { _ in UInt8.random(in: .min ... .max, using: &numbers) })
      let (task, cuts) = (bench.task, numbers)
      let writing = Task {
        var (cuts, left) = (cuts, content[...])
        while !left.isEmpty {
          let piece = left.prefix([1, 7, 500, 20_000, 150_000].randomElement(using: &cuts) ?? 1)
          left = left.dropFirst(piece.count)
          try await task.write(piece, timeout: 0)
        }
      }
      var read = Data()
      while read.count < content.count {
        let maximum = min(Int.random(in: 1...60_000, using: &numbers), content.count - read.count)
        let minimum = Int.random(in: 1...maximum, using: &numbers)
        let (data, isLast) = try await task.readData(ofMinLength: minimum, maxLength: maximum, timeout: 0)
        let count = data?.count ?? 0
        guard minimum...maximum ~= count, !isLast else { throw CocoaError(.fileReadCorruptFile) }
        read += data ?? Data()
      }
      try await writing.value
      let isSame = read == content
      #expect(isSame)
    }
  }

  // MARK: ends

  @Test func theEndComesWithTheLastBytes() async throws {
    try await StreamBench.with([.send("bye"), .close]) { bench async throws in
      bench.task.resume()
      let (data, isLast) = try await bench.task.readData(ofMinLength: 100, maxLength: 200, timeout: 0)
      #expect(data == Data("bye".utf8))
      #expect(isLast)
      #expect(await errorCode { _ = try await bench.task.text() } == Self.notConnected)
      bench.task.closeWrite()
      #expect(await bench.recorder.completed() == [.readClosed, .writeClosed, .completed(nil)])
      #expect(bench.task.error == nil)
      #expect(await errorCode { try await bench.task.send("x") } == Self.notConnected)
    }
  }

  @Test func aServerThatSpeaksAndGoesAtOnceIsHeard() async throws {
    try await StreamBench.with([.send("12:00"), .close], { $0.allowsHalfClose = false }) { bench async throws in
      for _ in 0..<100 {
        let task = bench.session.streamTask(withHostName: "127.0.0.1", port: bench.server.port)
        task.resume()
        #expect(try await task.textToEnd() == "12:00")
        task.cancel()
      }
    }
  }

  @Test func theServerAnswersAfterTheEndOfWhatWasWritten() async throws {
    try await StreamBench.with([.readToEnd, .send("answer"), .close]) { bench async throws in
      bench.task.resume()
      let answer = Task { try await bench.task.textToEnd() }
      bench.task.write(Data("question".utf8), timeout: 0) { _ in }
      bench.task.closeWrite()
      #expect(try await answer.value == "answer")
      #expect(bench.server.received() == Data("question".utf8))
      #expect(await bench.recorder.completed() == [.writeClosed, .readClosed, .completed(nil)])
      try await bench.server.waitForConnections(open: 0)
    }
  }

  @Test func aServerThatHasEndedCanBeWrittenTo() async throws {
    try await StreamBench.with([.send("hi"), .closeOutput, .read(until: "end")]) { bench async throws in
      bench.task.resume()
      #expect(try await bench.task.textToEnd() == "hi")
      try await bench.task.send("the ")
      try await bench.task.send("end")
      #expect(try await bench.server.waitForBytes(7) == Data("the end".utf8))
      bench.task.closeWrite()
      #expect(await bench.recorder.completed().last == .completed(nil))
    }
  }

  @Test func theEndIsToldWhereNobodyReads() async throws {
    try await StreamBench.with([.send("unread"), .closeOutput, .readToEnd]) { bench async throws in
      bench.task.resume()
      bench.task.closeWrite()
      try await bench.server.waitForConnections(open: 0)
      // The task waits for its reader.
      #expect(bench.task.state == .running)
      #expect(try await bench.task.textToEnd() == "unread")
      #expect(await bench.recorder.completed().last == .completed(nil))
    }
  }

  @Test func whoClosesReadingCanWriteOn() async throws {
    try await StreamBench.with([.send("a"), .read(until: "b"), .send("lost"), .read(until: "c")]) { bench async throws in
      bench.task.resume()
      #expect(try await bench.task.text() == "a")
      bench.task.closeRead()
      #expect(await errorCode { _ = try await bench.task.text() } == Self.notConnected)
      try await bench.task.send("b")
      try await bench.task.send("c")
      #expect(try await bench.server.waitForBytes(2) == Data("bc".utf8))
      await bench.session.barrier()
      #expect(bench.recorder.events == [.readClosed])
      bench.task.closeWrite()
      #expect(await bench.recorder.completed() == [.readClosed, .writeClosed, .completed(nil)])
    }
  }

  @Test func closingWaitsForTheReadsBefore() async throws {
    let gate = Gate()
    try await StreamBench.with([.wait(gate), .send("late")]) { bench async throws in
      bench.task.resume()
      let log = CallLog()
      bench.task.readData(ofMinLength: 4, maxLength: 4, timeout: 0) { data, _, _ in log.add(String(decoding: data ?? Data(), as: UTF8.self))
      }
      bench.task.closeRead()
      try await gate.reached()
      gate.open()
      #expect(await log.calls(1) == ["late"])
    }
  }

  // MARK: life

  @Test func nothingOfATaskOutlivesIt() async throws {
    let leaks = LeakCheck()
    try await TestServer.with(.raw([.echo])) { server async throws in
      let recorder = StreamRecorder()
      let session = URLSession(configuration: .testing(), delegate: recorder, delegateQueue: nil)
      let ended = session.streamTask(withHostName: "127.0.0.1", port: server.port)
      let cancelled = session.streamTask(withHostName: "127.0.0.1", port: server.port)
      for task in [ended, cancelled] {
        leaks.track(task)
        task.resume()
        try await task.send("x")
        #expect(try await task.text() == "x")
        task.readData(ofMinLength: 1, maxLength: 1, timeout: 0) { _, _, _ in }
      }
      leaks.track(session)
      leaks.track(recorder)
      ended.closeWrite()
      cancelled.cancel()
      _ = await recorder.completed()
      _ = await recorder.completed()
      session.finishTasksAndInvalidate()
    }
    try await leaks.verify()
  }

  @Test func aSessionThatFinishesWaitsForItsStreams() async throws {
    try await StreamBench.with([.echo]) { bench async throws in
      bench.task.resume()
      try await bench.task.send("a")
      bench.session.finishTasksAndInvalidate()
      #expect(try await bench.task.text() == "a")
      bench.task.closeWrite()
      #expect(try await bench.task.textToEnd() == "")
      #expect(await bench.recorder.completed().last == .completed(nil))
      let late = bench.session.streamTask(withHostName: "127.0.0.1", port: bench.server.port)
      late.resume()
      #expect(await errorCode { try await late.send("x") } == URLError.cancelled.rawValue)
    }
  }

  @Test func metricsTellOfTheConnection() async throws {
    try await StreamBench.with([.send("x"), .close]) { bench async throws in
      bench.task.resume()
      _ = try await bench.task.textToEnd()
      bench.task.closeWrite()
      _ = await bench.recorder.completed()
      let transaction = try #require(bench.recorder.metrics?.transactionMetrics.first)
      #expect(transaction.remotePort == bench.server.port)
      #expect(transaction.connectEndDate != nil)
      #expect(transaction.resourceFetchType == .networkLoad)
      #expect(transaction.countOfResponseBodyBytesReceived == 1)
    }
  }

  @Test func concurrentDelegateQueuesKeepATasksOrder() async throws {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 4
    try await TestServer.with(.raw([.echo])) { server async throws in
      let session = URLSession(configuration: .testing(), delegate: nil, delegateQueue: queue)
      let task = session.streamTask(withHostName: "127.0.0.1", port: server.port)
      let log = CallLog()
      task.resume()
      for index in 0..<200 { task.write(Data([1]), timeout: 0) { _ in log.add("\(index)") } }
      #expect(await log.calls(200) == (0..<200).map { "\($0)" })
      session.invalidateAndCancel()
    }
  }
}
