import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Big downloads, most of whose bytes go from the socket into the file without passing through the process where nothing has to see them.
@Suite(.timeLimit(.minutes(10))) struct DirectTransferTests {
  private static let resource = Resource(count: 8_000_000)

  private static let several = (0..<6).map { Resource(count: 3_000_000 + $0, seed: UInt64($0)) }

  private func serve(_ wire: Wire, _ body: (TestServer, URLSessionConfiguration) async throws -> Void) async throws {
    let folder = try DownloadFolder()
    defer { folder.remove() }
    try await folder.serve(wire, body)
  }

  /// How the server ends the response.
  enum Ending: CaseIterable {
    case keepsOpen, closes, closesUnannounced

    func adjust(_ reply: Reply) -> Reply {
      switch self {
      case .keepsOpen: reply
      case .closes: reply.with(.closeAfterReply(announce: true))
      case .closesUnannounced: reply.with(.closeAfterReply(announce: false))
      }
    }
  }

  /// HTTP/2's window updates may meet a server that has closed already, whose reset then overtakes the last bytes: no server closes so.
  private static let cases = Wire.http1.flatMap { wire in Ending.allCases.map { (wire, $0) } } + [(Wire.h2, .keepsOpen)]

  @Test(arguments: cases) func everyByteIsWrittenOnceAndCounted(_ wire: Wire, _ ending: Ending) async throws {
    try await serve(wire) { server, configuration async throws in
      server.route("/f") { ending.adjust(Self.resource.reply($0)) }
      server.route("/next", reply: .text("next"))
      let recorder = DownloadRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let task = session.downloadTask(with: server.url("/f"))
      task.resume()
      #expect(await recorder.end() == nil)
      let isWhole = recorder.file == Self.resource.bytes
      #expect(isWhole)
      #expect(task.countOfBytesReceived == 8_000_000)
      #expect(recorder.written.reduce(0) { $0 + $1.bytes } == 8_000_000)
      #expect(recorder.written.last?.total == 8_000_000)
      #expect(task.progress.fractionCompleted == 1)
      #expect(try await session.text(from: server.url("/next")).0 == "next")
      if ending == .keepsOpen { #expect(server.acceptedConnections == 1) }
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func severalAtOnceDoNotMix(_ wire: Wire) async throws {
    try await serve(wire) { server, configuration async throws in
      let resources = Self.several
      for (number, resource) in resources.enumerated() { server.route("/\(number)") { resource.reply($0) } }
      let session = URLSession(configuration: configuration)
      try await withThrowingTaskGroup(of: Void.self) { group async throws in
        for (number, resource) in resources.enumerated() {
          group.addTask { () async throws in
            let file = try await session.download(from: server.url("/\(number)")).0
            let isWhole = try Data(contentsOf: file) == resource.bytes
            #expect(isWhole)
          }
        }
        try await group.waitForAll()
      }
      session.invalidateAndCancel()
    }
  }

  /// What has been taken from the socket is in the file when the resume data is made.
  @Test(arguments: Wire.allCases) func cutDownloadGoesOnWhereItStopped(_ wire: Wire) async throws {
    try await serve(wire) { server, configuration async throws in
      server.enqueue(
        Reply(
          headers: ["ETag": Self.resource.tag], body: .bytes(Self.resource.bytes), faults: [.breakOffAfter(bodyBytes: 5_000_001)]))
      server.route("/f") { Self.resource.reply($0) }
      let session = URLSession(configuration: configuration)
      let error = await #expect(throws: URLError.self) { try await session.download(from: server.url("/f")) }
      let data = try #require(error?.downloadTaskResumeData)
      let file = try await session.download(resumeFrom: data).0
      let isWhole = try Data(contentsOf: file) == Self.resource.bytes
      #expect(isWhole)
      #expect(server.requests.last?.headers["Range"] == "bytes=5000001-")
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func cancelledDownloadGoesOnWhereItStopped(_ wire: Wire) async throws {
    try await serve(wire) { server, configuration async throws in
      let gate = Gate()
      server.enqueue(
        Reply(headers: ["ETag": Self.resource.tag], body: .bytes(Self.resource.bytes)).with(.stallAfter(bodyBytes: 5_000_001, gate: gate)))
      server.route("/f") { Self.resource.reply($0) }
      let writing = Signal()
      let session = URLSession(configuration: configuration, delegate: DownloadRecorder(writing: writing), delegateQueue: nil)
      let task = session.downloadTask(with: server.url("/f"))
      task.resume()
      while task.countOfBytesReceived < 5_000_001 { await writing.wait() }
      let data = try #require(await task.cancelByProducingResumeData())
      gate.open()
      let file = try await session.download(resumeFrom: data).0
      let isWhole = try Data(contentsOf: file) == Self.resource.bytes
      #expect(isWhole)
      #expect(server.requests.last?.headers["Range"] == "bytes=5000001-")
      session.invalidateAndCancel()
    }
  }
}
