import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct ConnectionTests {
  @available(*, deprecated)
  @Test func messagesArriveInApplesOrderOnTheDelegateQueue() async throws {
    try await TestServer.with { server async throws in
      server.enqueue(Reply(headers: ["Cache-Control": "max-age=60"], body: .text("hello")))
      let (recorder, queue) = (ConnectionRecorder(), OperationQueue())
      let connection = try makeConnection(URLRequest(url: server.url("/order/\(UUID())")), recorder, queue)
      connection.start()
      connection.start()
      await recorder.ended()
      let path = connection.originalRequest.url?.path
      #expect(recorder.messages == [.willSend(path: path, redirect: nil), .response(200), .data, .willCache, .finished])
      #expect(recorder.body == Data("hello".utf8))
      #expect(recorder.queues == [ObjectIdentifier(queue)])
      #expect(server.requestCount == 1)
    }
  }

  @available(*, deprecated)
  @Test func failureIsTheLastMessage() async throws {
    let recorder = ConnectionRecorder()
    let url = try #require(URL(string: "unknown-scheme:x"))
    let connection = try makeConnection(URLRequest(url: url), recorder)
    connection.start()
    await recorder.ended()
    #expect(recorder.messages.last == .failed(URLError.unsupportedURL.rawValue))
    #expect(recorder.error is URLError)
  }

  @available(*, deprecated)
  @Test func nothingIsLoadedBeforeTheStart() async throws {
    try await TestServer.with { server async throws in
      server.enqueue(.text("x"))
      let recorder = ConnectionRecorder()
      let connection = try makeConnection(URLRequest(url: server.url("/")), recorder)
      #expect(recorder.messages.isEmpty && server.requestCount == 0)
      connection.start()
      await recorder.ended()
      #expect(recorder.messages.last == .finished)
    }
  }

  @available(*, deprecated)
  @Test func redirectIsShownAndCanBeChanged() async throws {
    try await TestServer.with { server async throws in
      server.route("/a", reply: .redirect(to: "/b"))
      server.route("/c", reply: .text("c"))
      let recorder = ConnectionRecorder()
      recorder.request = { request, response in response == nil ? request : URLRequest(url: server.url("/c")) }
      let connection = try makeConnection(URLRequest(url: server.url("/a")), recorder)
      connection.start()
      await recorder.ended()
      #expect(
        recorder.messages == [
          .willSend(path: "/a", redirect: nil), .willSend(path: "/b", redirect: 302), .response(200), .data, .willCache, .finished,
        ])
      #expect(recorder.body == Data("c".utf8))
      #expect(connection.originalRequest.url?.path == "/a")
      #expect(connection.currentRequest.url?.path == "/c")
    }
  }

  @available(*, deprecated)
  @Test func refusedRedirectIsTheResult() async throws {
    try await TestServer.with { server async throws in
      server.route("/a", reply: Reply(302, headers: ["Location": "/b"], body: .text("moved")))
      let recorder = ConnectionRecorder()
      recorder.request = { request, response in response == nil ? request : nil }
      try makeConnection(URLRequest(url: server.url("/a")), recorder).start()
      await recorder.ended()
      #expect(recorder.messages.suffix(3) == [.response(302), .data, .finished])
      #expect(recorder.body == Data("moved".utf8))
    }
  }

  @available(*, deprecated)
  @Test func delegateCanWithholdTheRequest() async throws {
    try await TestServer.with { server async throws in
      let recorder = ConnectionRecorder()
      recorder.request = { _, _ in nil }
      try makeConnection(URLRequest(url: server.url("/a")), recorder).start()
      await recorder.ended()
      #expect(recorder.messages.last == .failed(URLError.cancelled.rawValue))
      #expect(server.requestCount == 0)
    }
  }

  @available(*, deprecated)
  @Test func bodyIsSentAgainFromANewStream() async throws {
    try await TestServer.with { server async throws in
      server.route("/a", reply: .redirect(to: "/b", status: 307))
      server.route("/b", reply: .text("ok"))
      let recorder = ConnectionRecorder()
      recorder.stream = { InputStream(data: Data("body".utf8)) }
      var request = URLRequest(url: server.url("/a"))
      request.httpMethod = "POST"
      request.httpBodyStream = InputStream(data: Data("body".utf8))
      try makeConnection(request, recorder).start()
      await recorder.ended()
      #expect(recorder.messages.contains(.newStream) && recorder.messages.last == .finished)
      #expect(server.requests.last?.uri == "/b" && server.requests.last?.text == "body")
    }
  }

  @available(*, deprecated)
  @Test func sentBytesAreCounted() async throws {
    try await TestServer.with { server async throws in
      server.enqueue(.text("ok"))
      let recorder = ConnectionRecorder()
      var request = URLRequest(url: server.url("/a"))
      request.httpMethod = "POST"
      request.httpBody = Data(repeating: 7, count: 100_000)
      try makeConnection(request, recorder).start()
      await recorder.ended()
      #expect(recorder.messages.contains(.sent(total: 100_000)))
    }
  }

  @available(*, deprecated)
  @Test func responseThatTheDelegateRefusesIsNotCached() async throws {
    try await TestServer.with { server async throws in
      let path = "/cached/\(UUID())"
      server.route(path, reply: Reply(headers: ["Cache-Control": "max-age=60"], body: .text("x")))
      for _ in 0..<2 {
        let recorder = ConnectionRecorder()
        recorder.cached = { _ in nil }
        try makeConnection(URLRequest(url: server.url(path)), recorder).start()
        await recorder.ended()
        #expect(recorder.messages.contains(.willCache))
      }
      #expect(server.requestCount == 2)
    }
  }

  @available(*, deprecated)
  @Test func fileOfADownloadIsThereUntilItsMessageReturns() async throws {
    final class Downloads: NSObject, NSURLConnectionDownloadDelegate, @unchecked Sendable {
      // @unchecked: written on one queue, and read after the signal.
      var content: Data?
      var file: URL?
      var written: Int64 = 0
      let end = Signal()

      func connection(_: NSURLConnection, didWriteData _: Int64, totalBytesWritten: Int64, expectedTotalBytes: Int64) {
        written = totalBytesWritten
      }

      func connectionDidFinishDownloading(_ connection: NSURLConnection, destinationURL: URL) {
        (content, file) = (try? Data(contentsOf: destinationURL), destinationURL)
        connection.cancel()
        end.send()
      }
    }
    try await TestServer.with { server async throws in
      server.enqueue(.text("hello"))
      let downloads = Downloads()
      let queue = OperationQueue()
      let connection = try makeConnection(URLRequest(url: server.url("/")), downloads, queue)
      connection.start()
      await downloads.end.wait()
      #expect(downloads.content == Data("hello".utf8) && downloads.written == 5)
    }
  }

  @Test func schemesAndRegisteredClassesAreHandled() throws {
    for (text, isHandled) in [
      ("http://a", true), ("HTTPS://a", true), ("ftp://a", true), ("file:///a", true), ("data:,a", true), ("odd-scheme:a", false),
    ] {
      let url = try #require(URL(string: text))
      #expect(NSURLConnection.canHandle(URLRequest(url: url)) == isHandled, "\(text)")
    }
  }
}
