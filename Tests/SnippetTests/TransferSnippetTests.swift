import Foundation
import Snippets
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct TransferSnippetTests {
  private func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "snippets-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  @Test func brokenDownloadGoesOn() async throws {
    try await withFolder { folder async throws in
      try await withServer { server async throws in
        let tag: HeaderList = ["ETag": "\"one\""]
        var rest = Reply(206, headers: tag, body: .pattern(from: 40_000, count: 60_000))
        rest.headers["Content-Range"] = "bytes 40000-99999/100000"
        server.enqueue(Reply(headers: tag, body: .pattern(count: 100_000), faults: [.disconnectAfterBodyBytes(40_000)]), rest)
        let file = folder.appending(path: "file")
        try await download(server.url("/file"), to: file)
        #expect(try Data(contentsOf: file) == Data((0..<100_000).map { UInt8(97 + $0 % 26) }))
        #expect(server.requests.last?.headers["Range"] == "bytes=40000-")
      }
    }
  }

  @Test func errorPageIsNoDownload() async throws {
    try await withFolder { folder async throws in
      try await withServer { server async throws in
        let error = await #expect(throws: URLError.self) {
          try await download(server.url("/status/404"), to: folder.appending(path: "file"))
        }
        #expect(error?.code == .badServerResponse)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
      }
    }
  }

  @Test func uploadReportsHowMuchHasBeenSent() async throws {
    try await withFolder { folder async throws in
      try await withServer { server async throws in
        let file = folder.appending(path: "file")
        try Data(repeating: 1, count: 3_000_000).write(to: file)
        server.enqueue(Reply(201))
        let (reports, continuation) = AsyncStream.makeStream(of: Double.self)
        #expect(try await upload(file, to: server.url("/file")) { continuation.yield($0) } == 201)
        continuation.finish()
        let fractions = await reports.reduce(into: []) { $0.append($1) }
        #expect(fractions == fractions.sorted() && fractions.last == 1)
        #expect(server.requests.map(\.bodyLength) == [3_000_000])
      }
    }
  }

  @Test func bodyThatIsMadeWhileItIsSentArrivesWhole() async throws {
    try await withServer { server async throws in
      server.enqueue(Reply(201))
      let expected = (0..<20_000).map { "line \($0)\n" }.joined()
      #expect(try await upload(lines: 20_000, to: server.url("/lines")) == 201)
      #expect(server.requests.map(\.bodyLength) == [expected.utf8.count])
    }
  }
}
