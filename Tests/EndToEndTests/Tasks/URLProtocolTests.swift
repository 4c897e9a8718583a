import Foundation
import struct Synchronization.Atomic
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct URLProtocolTests {
  private static let next = Atomic(0)

  /// A URL of its own scheme and host, and what is to be done when it is loaded.
  private func url(_ path: String = "/", _ script: @escaping ScriptedProtocol.Script) throws -> URL {
    let number = URLProtocolTests.next.add(1, ordering: .relaxed).newValue
    let url = try #require(URL(string: "scripted://host\(number)\(path)"))
    ScriptedProtocol.set(script, for: url)
    return url
  }

  private func session(delegate: (any URLSessionDelegate)? = nil) -> URLSession {
    let configuration = URLSessionConfiguration.testing()
    configuration.protocolClasses = [ScriptedProtocol.self] + (configuration.protocolClasses ?? [])
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  // MARK: results

  @Test func largeDataIsPassedOnWhole() async throws {
    let content = Data(repeating: 1, count: 2 << 20) + Data(repeating: 2, count: 1 << 20)
    let url = try ScriptedProtocol.url { instance in
      instance.reply([], isComplete: false)
      instance.client?.urlProtocol(instance, didLoad: content)
      instance.client?.urlProtocol(instance, didLoad: Data([1]))
      instance.client?.urlProtocolDidFinishLoading(instance)
    }
    let session = ScriptedProtocol.session()
    #expect(try await session.data(from: url).0 == content + [1])
    session.invalidateAndCancel()
  }

  @Test func everyFormOfLoadIsServed() async throws {
    let url = try url { $0.reply(["one ", "two"]) }
    let recorder = DelegateRecorder()
    let session = session(delegate: recorder)
    let (data, response) = try await session.data(from: url)
    #expect(data == Data("one two".utf8))
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
    let (bytes, _) = try await session.bytes(from: url)
    let text = try await bytes.lines.reduce("", +)
    #expect(text == "one two")
    let log = CompletionLog()
    session.dataTask(with: url, completionHandler: log.handler).resume()
    let call = await log.call()
    #expect(call.data == Data("one two".utf8))
    let task = session.dataTask(with: url)
    task.resume()
    #expect(await recorder.completion(of: task) == nil)
    #expect(recorder.body == Data("one two".utf8))
    #expect(task.countOfBytesReceived == 7)
    session.invalidateAndCancel()
  }

  @Test func dataBeforeTheResponseComesBehindIt() async throws {
    let url = try url { proto in
      for piece in ["early ", "data "] { proto.client?.urlProtocol(proto, didLoad: Data(piece.utf8)) }
      proto.reply(["late"])
    }
    let recorder = DelegateRecorder()
    let session = session(delegate: recorder)
    #expect(try await session.text(from: url).0 == "early data late")
    let task = session.dataTask(with: url)
    task.resume()
    #expect(await recorder.completion(of: task) == nil)
    #expect(recorder.body == Data("early data late".utf8))
    session.invalidateAndCancel()
  }

  @Test func errorObjectReachesTheCallerUnchanged() async throws {
    let error = NSError(domain: "Custom", code: 42, userInfo: ["key": "value"])
    let failing = try url { $0.fail(error) }
    let recorder = DelegateRecorder()
    let session = session(delegate: recorder)
    let log = CompletionLog()
    session.dataTask(with: failing, completionHandler: log.handler).resume()
    let received = try #require(await log.call().error)
    #expect(received as NSError === error)
    let task = session.dataTask(with: failing)
    task.resume()
    let delivered = try #require(await recorder.completion(of: task) as NSError?)
    #expect(delivered === error)
    do {
      _ = try await session.data(from: failing)
      Issue.record("the load succeeded")
    } catch {
      let thrown = error as NSError
      #expect(thrown.domain == "Custom" && thrown.code == 42 && thrown.userInfo["key"] as? String == "value")
    }
    session.invalidateAndCancel()
  }

  @Test func errorTypeOfTheAppReachesTheCaller() async throws {
    let failing = try url { $0.fail(AppError.outOfTea(cups: 3)) }
    let late = try url {
      $0.reply(["some"], isComplete: false)
      $0.fail(AppError.outOfTea(cups: 4))
    }
    let session = session()
    await #expect(throws: AppError.outOfTea(cups: 3)) { try await session.data(from: failing) }
    await #expect(throws: AppError.outOfTea(cups: 4)) { try await session.data(from: late) }
    await #expect(throws: AppError.outOfTea(cups: 4)) {
      let (bytes, _) = try await session.bytes(from: late)
      for try await _ in bytes {}
    }
    session.invalidateAndCancel()
  }

  @Test func finishingWithoutAResponseIsAnError() async throws {
    let silent = try url { $0.client?.urlProtocolDidFinishLoading($0) }
    let session = session()
    #expect(await errorCode { _ = try await session.data(from: silent) } == URLError.badServerResponse.rawValue)
    session.invalidateAndCancel()
  }

  @Test func cachedResponseThatIsValidBecomesTheResult() async throws {
    let url = try url { scripted in
      guard let url = scripted.request.url else { return }
      let response = URLResponse(url: url, mimeType: "text/plain", expectedContentLength: 6, textEncodingName: nil)
      scripted.client?.urlProtocol(scripted, cachedResponseIsValid: CachedURLResponse(response: response, data: Data("cached".utf8)))
    }
    let session = session()
    let (data, response) = try await session.data(from: url)
    #expect(data == Data("cached".utf8))
    #expect(response.mimeType == "text/plain")
    session.invalidateAndCancel()
  }

  @Test func callsMayComeFromAnyThread() async throws {
    let url = try url { scripted in
      Thread.detachNewThread { scripted.reply(["from ", "a thread"]) }
    }
    let session = session()
    let (data, _) = try await session.data(from: url)
    #expect(data == Data("from a thread".utf8))
    session.invalidateAndCancel()
  }

  // MARK: redirects

  @Test func redirectAsksTheDelegateAndStartsANewInstance() async throws {
    let end = try url("/end") { $0.reply(["end"]) }
    let stopped = Signal()
    let start = try url("/start") { scripted in
      scripted.onStop = { stopped.send() }
      scripted.redirect(to: end)
    }
    let recorder = DelegateRecorder()
    let session = session(delegate: recorder)
    let task = session.dataTask(with: start)
    task.resume()
    #expect(await recorder.completion(of: task) == nil)
    await stopped.wait()
    #expect(
      recorder.milestones == [
        .created, .redirect(status: 302, to: end), .response(status: 200), .metrics(transactions: 2), .completed(code: nil),
      ])
    #expect(recorder.body == Data("end".utf8))
    #expect(task.currentRequest?.url == end)
    session.invalidateAndCancel()
  }

  @Test func refusedRedirectIsTheResult() async throws {
    let end = try url("/end") { $0.reply(["end"]) }
    let start = try url("/start") { $0.redirect(to: end) }
    let recorder = DelegateRecorder(redirect: { _ in nil })
    let session = session(delegate: recorder)
    let task = session.dataTask(with: start)
    task.resume()
    #expect(await recorder.completion(of: task) == nil)
    #expect((task.response as? HTTPURLResponse)?.statusCode == 302)
    #expect(recorder.body.isEmpty)
    session.invalidateAndCancel()
  }

  // MARK: life

  @Test func instanceIsStoppedAtTheEndOfEachLoadAndLetGo() async throws {
    let leaks = LeakCheck()
    let stopped = Signal()
    let good = try url { scripted in
      leaks.track(scripted, "good")
      scripted.onStop = { stopped.send() }
      scripted.reply(["x"])
    }
    let bad = try url { scripted in
      leaks.track(scripted, "bad")
      scripted.onStop = { stopped.send() }
      scripted.fail(URLError(.timedOut))
    }
    let session = session()
    _ = try await session.data(from: good)
    await stopped.wait()
    #expect(await errorCode { _ = try await session.data(from: bad) } == URLError.timedOut.rawValue)
    await stopped.wait()
    try await leaks.verify()
    session.invalidateAndCancel()
  }

  @Test func cancelledLoadIsStoppedAndWhatItSaysAfterwardsIsIgnored() async throws {
    let (started, stopped, answered) = (Signal(), Signal(), Signal())
    let url = try url { scripted in
      scripted.onStop = {
        stopped.send()
        scripted.reply(["too late"])
        scripted.fail(URLError(.timedOut))
        scripted.onStop = nil
        answered.send()
      }
      started.send()
    }
    let recorder = DelegateRecorder()
    let session = session(delegate: recorder)
    let task = session.dataTask(with: url)
    task.resume()
    await started.wait()
    task.cancel()
    await stopped.wait()
    let error = await recorder.completion(of: task)
    #expect((error as? URLError)?.code == .cancelled)
    await answered.wait()
    session.finishTasksAndInvalidate()
    await recorder.invalidation()
    #expect(recorder.events == [.created, .metrics(transactions: 1), .completed(code: -999), .invalid])
  }

  @Test func cancellingInTheMiddleOfABodyStops() async throws {
    let stopped = Signal()
    let url = try url { scripted in
      scripted.onStop = { stopped.send() }
      scripted.reply(["some"], isComplete: false)
    }
    let session = session()
    let (bytes, _) = try await session.bytes(from: url)
    var iterator = bytes.makeAsyncIterator()
    #expect(try await iterator.next() == UInt8(ascii: "s"))
    bytes.task.cancel()
    await stopped.wait()
    #expect(await errorCode { while try await iterator.next() != nil {} } == -999)
    session.invalidateAndCancel()
  }

  @Test func blockingStartsHoldUpNobodyElse() async throws {
    let release = DispatchSemaphore(value: 0)
    let started = Signal()
    let blocked = try (0..<24).map { _ in
      try url { scripted in
        started.send()
        release.wait()
        scripted.reply(["late"])
      }
    }
    let quick = try url { $0.reply(["quick"]) }
    let session = session()
    let log = CompletionLog()
    for url in blocked { session.dataTask(with: url, completionHandler: log.handler).resume() }
    for _ in blocked { await started.wait() }
    let (data, _) = try await session.data(from: quick)
    #expect(data == Data("quick".utf8))
    try await TestServer.with { server async throws in
      server.add(.standard)
      #expect(try await session.data(from: server.url("/bytes/5")).0.count == 5)
    }
    for _ in blocked { release.signal() }
    for _ in blocked { _ = await log.call() }
    #expect(log.count == blocked.count)
    session.invalidateAndCancel()
  }

  // MARK: the request

  @Test func bodyInMemoryArrivesAsAStream() async throws {
    let url = try url { scripted in
      guard let stream = scripted.request.httpBodyStream else { return scripted.fail(URLError(.badURL)) }
      stream.open()
      var buffer = [UInt8](repeating: 0, count: 100)
      let count = stream.read(&buffer, maxLength: buffer.count)
      stream.close()
      scripted.reply([String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)])
    }
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.httpBody = Data("body".utf8)
    let session = session()
    let (data, _) = try await session.data(for: request)
    #expect(data == Data("body".utf8))
    session.invalidateAndCancel()
  }

  @Test func propertiesTravelWithTheRequest() async throws {
    let url = try url { scripted in
      let value = URLProtocol.property(forKey: "mark", in: scripted.request) as? String
      scripted.reply([value ?? "none"])
    }
    let request = NSMutableURLRequest(url: url)
    URLProtocol.setProperty("marked", forKey: "mark", in: request)
    let session = session()
    #expect(try await session.data(for: request as URLRequest).0 == Data("marked".utf8))
    URLProtocol.removeProperty(forKey: "mark", in: request)
    #expect(try await session.data(for: request as URLRequest).0 == Data("none".utf8))
    session.invalidateAndCancel()
  }

  @Test func instanceSeesTheCanonicalRequestAndItsTask() async throws {
    let url = try url { scripted in
      scripted.reply([scripted.request.value(forHTTPHeaderField: "X-Canonical") ?? "-", scripted.task?.taskDescription ?? "-"])
    }
    let session = session()
    let log = CompletionLog()
    let task = session.dataTask(with: url, completionHandler: log.handler)
    task.taskDescription = " label"
    task.resume()
    #expect(await log.call().data == Data("yes label".utf8))
    session.invalidateAndCancel()
  }
}

private enum AppError: Error, Equatable {
  case outOfTea(cups: Int)
}
