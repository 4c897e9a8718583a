import BackgroundDaemon
import BackgroundTransfers
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct UploadTests {
  private func source(_ ground: DaemonGround, _ bytes: Data = Data("what is uploaded".utf8)) throws -> URL {
    let file = ground.file("source")
    try bytes.write(to: file)
    return file
  }

  @Test func aFileIsSentAndTheResponseKept() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let file = try source(ground)
    try await TestServer.with { server in
      server.route("/u") { .text("got \($0.text)") }
      try await ground.serving { _ in
        let app = try await ground.app()
        app.begin(try .upload(1, server.url("/u"), of: file))
        let event = try await app.event()
        #expect(event.outcome.error == nil)
        #expect(event.outcome.sent == 16)
        let body = try Data(contentsOf: URL(filePath: #require(event.outcome.file)))
        #expect(String(decoding: body, as: UTF8.self) == "got what is uploaded")
      }
    }
  }

  @Test func anEmptyResponseHasNoFile() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let file = try source(ground)
    try await TestServer.with { server in
      server.route("/u", reply: Reply(204))
      try await ground.serving { _ in
        let app = try await ground.app()
        app.begin(try .upload(1, server.url("/u"), of: file))
        let event = try await app.event()
        #expect(event.outcome.error == nil)
        #expect(event.outcome.file == nil)
      }
    }
  }

  @Test func aResponseThatIsTooLargeFailsTheUpload() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let file = try source(ground)
    var options = DaemonGround.options
    options.largestUploadResponse = 10_000
    try await TestServer.with { server in
      server.route("/u", reply: Reply(body: .pattern(count: 1_000_000)))
      try await ground.serving(options) { _ in
        let app = try await ground.app()
        app.begin(try .upload(1, server.url("/u"), of: file))
        let event = try await app.event()
        #expect(event.outcome.error?.code == -1103)
        #expect(event.outcome.error?.description.contains("10000 bytes") == true)
      }
    }
  }

  /// How an upload ends whose source is changed before it begins; nothing may be sent.
  private func error(after change: (URL, DaemonGround) throws -> Void) async throws -> ErrorValue {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let file = try source(ground)
    return try await TestServer.with { server in
      let error = try await ground.serving { _ in
        let app = try await ground.app()
        let order = try TransferOrder.upload(1, server.url("/u"), of: file)
        try change(file, ground)
        app.begin(order)
        return try #require(try await app.event().outcome.error)
      }
      #expect(server.requestCount == 0)
      return error
    }
  }

  @Test func aVanishedSourceFailsBeforeAnythingIsSent() async throws {
    let error = try await error { file, _ in try FileManager.default.removeItem(at: file) }
    #expect(error.code == -1100)
  }

  @Test func aChangedSourceFailsBeforeAnythingIsSent() async throws {
    let error = try await error { file, _ in try Data("something else entirely".utf8).write(to: file) }
    #expect(error.code == -3001)
    #expect(error.description.contains("has changed"))
  }

  @Test func aSourceThatHasBecomeALinkIsNotFollowed() async throws {
    let error = try await error { file, ground in
      let moved = ground.file("moved")
      try FileManager.default.moveItem(at: file, to: moved)
      try FileManager.default.createSymbolicLink(at: file, withDestinationURL: moved)
    }
    #expect(error.code == -3001)
  }
}
