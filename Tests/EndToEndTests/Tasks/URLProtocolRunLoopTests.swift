import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// The thread on which an app's protocol class is made, started and stopped: its run loop turns.
@Suite(.timeLimit(.minutes(10))) struct URLProtocolRunLoopTests {
  @Test func timerOfStartLoadingFires() async throws {
    let url = try ScriptedProtocol.url { scripted in
      _ = Timer.scheduledTimer(withTimeInterval: 0.001, repeats: false) { _ in scripted.reply(["from a timer"]) }
    }
    let session = ScriptedProtocol.session()
    #expect(try await session.text(from: url).0 == "from a timer")
    session.invalidateAndCancel()
  }

  @Test func performedBlocksRun() async throws {
    let url = try ScriptedProtocol.url { scripted in
      RunLoop.current.perform {
        RunLoop.current.perform { scripted.reply(["from a block"]) }
      }
    }
    let session = ScriptedProtocol.session()
    #expect(try await session.text(from: url).0 == "from a block")
    session.invalidateAndCancel()
  }

  @Test func instanceStaysOnItsThread() async throws {
    let threads = Mutex<[ObjectIdentifier]>([])
    let stopped = Signal()
    let note: @Sendable () -> Void = { threads.withLock { $0.append(ObjectIdentifier(Thread.current)) } }
    let url = try ScriptedProtocol.url { scripted in
      note()
      scripted.onStop = {
        note()
        stopped.send()
      }
      RunLoop.current.perform {
        note()
        scripted.reply(["x"])
      }
    }
    let session = ScriptedProtocol.session()
    _ = try await session.data(from: url)
    await stopped.wait()
    let seen = threads.withLock { $0 }
    #expect(seen.count == 3 && Set(seen).count == 1)
    session.invalidateAndCancel()
  }

  @available(*, deprecated)
  @Test func connectionThatStartLoadingMakesIsServed() async throws {
    try await TestServer.with { server async throws in
      server.enqueue(.text("through a connection"))
      let configuration = URLSessionConfiguration.testing()
      configuration.protocolClasses = [ForwardingProtocol.self]
      let session = URLSession(configuration: configuration)
      var components = try #require(URLComponents(url: server.url("/"), resolvingAgainstBaseURL: false))
      components.scheme = ForwardingProtocol.scheme
      let url = try #require(components.url)
      let (text, response) = try await session.text(from: url)
      #expect(text == "through a connection")
      #expect(response.statusCode == 200)
      session.invalidateAndCancel()
    }
  }

  @Test func classMayWaitForALoadOfAnotherClass() async throws {
    let session = ScriptedProtocol.session()
    let inner = try ScriptedProtocol.url { scripted in RunLoop.current.perform { scripted.reply(["inner"]) } }
    let middle = try ScriptedProtocol.url { $0.replyWaiting(for: inner, in: session) }
    let outer = try ScriptedProtocol.url { $0.replyWaiting(for: middle, in: session) }
    #expect(try await session.text(from: outer).0 == "inner")
    session.invalidateAndCancel()
  }

  @Test func manyLoadsThatShareThreadsAllEnd() async throws {
    let session = ScriptedProtocol.session()
    // Answers when the last of them has started: until then all are under way.
    let waiting = Mutex<[ScriptedProtocol]>([])
    let count = 100
    let url = try ScriptedProtocol.url { scripted in
      let all = waiting.withLock { waiting in
        waiting.append(scripted)
        return waiting.count == count ? waiting : []
      }
      for one in all { one.reply(["x"]) }
    }
    let log = CompletionLog()
    for _ in 0..<count { session.dataTask(with: url, completionHandler: log.handler).resume() }
    for _ in 0..<count { #expect(await log.call().error == nil) }
    waiting.withLock { $0 = [] }
    session.invalidateAndCancel()
  }
}

extension ScriptedProtocol {
  /// Replies with the body of `url`, for which this thread waits.
  fileprivate func replyWaiting(for url: URL, in session: URLSession) {
    let (arrived, body) = (DispatchSemaphore(value: 0), BodyBox())
    session.dataTask(with: url) { data, _, _ in
      body.data.withLock { $0 = data ?? Data() }
      arrived.signal()
    }.resume()
    arrived.wait()
    reply([String(decoding: body.data.withLock { $0 }, as: UTF8.self)])
  }
}

private final class BodyBox: Sendable {
  let data = Mutex(Data())
}

/// Loads `forwarded:` URLs as http, by a connection: the way of protocol classes from before sessions.
@available(*, deprecated)
private final class ForwardingProtocol: URLProtocol, NSURLConnectionDataDelegate, @unchecked Sendable {
  // @unchecked: `connection` is used on the loading thread alone.
  static let scheme = "forwarded"

  private var connection: NSURLConnection?

  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == scheme }

  override func startLoading() {
    var components = request.url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: false) }
    components?.scheme = "http"
    guard let url = components?.url else { return }
    connection = NSURLConnection(request: URLRequest(url: url), delegate: self)
  }

  override func stopLoading() {
    connection?.cancel()
    connection = nil
  }

  func connection(_ connection: NSURLConnection, didReceive response: URLResponse) {
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
  }

  func connection(_ connection: NSURLConnection, didReceive data: Data) { client?.urlProtocol(self, didLoad: data) }

  func connectionDidFinishLoading(_ connection: NSURLConnection) { client?.urlProtocolDidFinishLoading(self) }

  func connection(_ connection: NSURLConnection, didFailWithError error: any Error) { client?.urlProtocol(self, didFailWithError: error) }
}
