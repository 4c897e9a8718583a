import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// The MIME type of responses without `Content-Type`.
@Suite(.timeLimit(.minutes(10))) struct SniffingTests {
  private static let page = "<!DOCTYPE html><p>one</p>"
  private static let reply = Reply(body: .text(page))

  @Test(arguments: Wire.allCases) func asyncResponseHasTheTypeOfItsBody(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(SniffingTests.reply)
      let session = URLSession(configuration: configuration)
      let (text, response) = try await session.text(from: server.url("/name"))
      #expect(text == SniffingTests.page)
      #expect(response.mimeType == "text/html")
      #expect(response.textEncodingName == nil)
      #expect(response.suggestedFilename == "name.html")
      #expect(response.value(forHTTPHeaderField: "Content-Type") == nil)
      let archive = try NSKeyedArchiver.archivedData(withRootObject: response, requiringSecureCoding: true)
      #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: URLResponse.self, from: archive)?.mimeType == "text/html")
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func completionHandlerIsGivenTheTypeOfTheBody(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(Reply(body: .bytes(Data([0, 1, 2]))))
      let session = URLSession(configuration: configuration)
      let (data, type) = await withCheckedContinuation { (done: CheckedContinuation<(Data?, String?), Never>) in
        session.dataTask(with: server.url()) { data, response, _ in done.resume(returning: (data, response?.mimeType)) }.resume()
      }
      #expect(data == Data([0, 1, 2]))
      #expect(type == "application/octet-stream")
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func delegateIsGivenTheResponseWithTheFirstBytes(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let gate = Gate()
      server.enqueue(SniffingTests.reply.with(.stallAfter(bodyBytes: 0, gate: gate)))
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let task = session.dataTask(with: server.url())
      task.resume()
      try await gate.reached()
      #expect(task.response == nil)
      gate.open()
      #expect(await recorder.completion(of: task) == nil)
      #expect(recorder.milestones.prefix(2) == [.created, .response(status: 200)])
      #expect(recorder.body == Data(SniffingTests.page.utf8))
      #expect(task.response?.mimeType == "text/html")
      session.invalidateAndCancel()
    }
  }

  /// A delegate may want the connection as a stream: it is looked at without being read.
  @Test(arguments: Wire.allCases) func chunkedBodyInPiecesIsLookedAtWhereItsConnectionMayBecomeAStream(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let pieces = ["%PDF-1.7", "more"].map { Data($0.utf8) }
      server.enqueue(Reply(body: .chunks(pieces)).with(.trickle(chunkSize: 1)))
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let task = session.dataTask(with: server.url())
      task.resume()
      #expect(await recorder.completion(of: task) == nil)
      #expect(recorder.body == Data("%PDF-1.7more".utf8))
      // The first piece decides, and how much of it comes at once isn't the client's choice.
      #expect(["application/pdf", "text/plain"].contains(task.response?.mimeType))
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func bytesAndDownloadsLoseNothing(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(SniffingTests.reply, Reply(body: .pattern(count: 3_000_000)))
      let (bytes, response) = try await session.bytes(from: server.url())
      #expect(response.mimeType == "text/html")
      var read: [UInt8] = []
      for try await byte in bytes { read.append(byte) }
      #expect(read == Array(SniffingTests.page.utf8))
      let (file, downloaded) = try await session.download(from: server.url("/letters"))
      #expect(downloaded.mimeType == "text/plain")
      #expect(downloaded.suggestedFilename == "letters.txt")
      let content = try Data(contentsOf: file)
      #expect(content.count == 3_000_000)
      #expect(content.prefix(30) == Data("abcdefghijklmnopqrstuvwxyzabcd".utf8))
      #expect(content.suffix(4) == Data((2_999_996..<3_000_000).map { 0x61 + UInt8($0 % 26) }))
      try FileManager.default.removeItem(at: file)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func responseWithoutBodyHasNoTypeAndAWordOfTheServerStands(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(
        Reply(204), Reply(), Reply(headers: ["Content-Type": "application/octet-stream"], body: .text(SniffingTests.page)))
      #expect(try await session.data(from: server.url()).1.mimeType == nil)
      #expect(try await session.data(from: server.url()).1.mimeType == nil)
      #expect(try await session.data(from: server.url()).1.mimeType == "application/octet-stream")
      server.enqueue(SniffingTests.reply)
      var head = URLRequest(url: server.url())
      head.httpMethod = "HEAD"
      #expect(try await session.data(for: head).1.mimeType == nil)
      session.invalidateAndCancel()
    }
  }

  @Test func storedResponseHasTheTypeOfItsBodyToo() async throws {
    try await TestServer.with { server async throws in
      let configuration = URLSessionConfiguration.testing()
      let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, directory: nil)
      configuration.urlCache = cache
      let session = URLSession(configuration: configuration)
      server.enqueue(Reply(headers: ["Cache-Control": "max-age=60"], body: .text(SniffingTests.page)))
      let request = URLRequest(url: server.url())
      for _ in 0..<2 { #expect(try await session.data(for: request).1.mimeType == "text/html") }
      #expect(server.requests.count == 1)
      #expect(cache.cachedResponse(for: request)?.response.mimeType == "text/html")
      session.invalidateAndCancel()
    }
  }

  @Test func brokenBodyFollowsItsResponse() async throws {
    try await TestServer.with { server async throws in
      server.enqueue(SniffingTests.reply.with(.disconnectAfterHeaders))
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: .testing(), delegate: recorder, delegateQueue: nil)
      let task = session.dataTask(with: server.url())
      task.resume()
      #expect(await (recorder.completion(of: task) as? URLError)?.code == .networkConnectionLost)
      #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
      #expect(task.response?.mimeType == nil)
      session.invalidateAndCancel()
    }
  }
}
