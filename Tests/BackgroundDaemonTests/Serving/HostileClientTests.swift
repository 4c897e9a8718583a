import BackgroundDaemon
import BackgroundTransfers
import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct HostileClientTests {
  private func frame(_ text: String) -> Data {
    var frame = withUnsafeBytes(of: UInt32(text.utf8.count).bigEndian) { Data($0) }
    frame.append(contentsOf: text.utf8)
    return frame
  }

  @Test(arguments: ["{", "[]", "{\"nonsense\":{}}", "null", String(repeating: "[", count: 1000), "{\"create\":{\"_0\":{}}}"])
  func whatIsNoMessageIsRefused(text: String) async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await ground.serving { _ in
      let app = try await ground.app()
      let peer = try ground.connect()
      peer.link.send(frame: frame(text))
      #expect(try await peer.refusal().reason == .badMessage)
      await peer.end()
      try await app.barrier(task: 1)
    }
  }

  @Test func messagesBeforeAnAttachmentAreRefused() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await ground.serving { _ in
      for message in [AppMessage.resume(task: 1), .taken(events: [1]), .invalidate(cancelling: true), .launchHandled] {
        let peer = try ground.connect()
        peer.send(message)
        #expect(try await peer.refusal().reason == .badMessage)
      }
    }
  }

  @Test func whatConcernsNothingIsIgnored() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await ground.serving { _ in
      let app = try await ground.app()
      app.send(.resume(task: 77), .suspend(task: -1), .cancel(task: 0, wantsResumeData: true), .change(task: 5, TransferChange()))
      app.send(.taken(events: [1, -1, .max]), .launchHandled)
      app.send(.answer(question: 1, ChallengeReply(disposition: 99)), .begin(question: -4, .cancel), .begin(question: .max, .proceed))
      try await app.barrier(task: 1)
    }
  }

  @Test func anAppCannotTouchAnothersTransfers() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await TestServer.with { server in
      server.route("/f", reply: .text("mine"))
      try await ground.serving { _ in
        let app = try await ground.app("mine")
        app.begin(.download(1, server.url("/f")))
        let event = try await app.event()
        let other = try await ground.app("other")
        other.send(.taken(events: [event.identifier]), .cancel(task: 1, wantsResumeData: false))
        try await other.barrier(task: 1)
        let file = try #require(event.outcome.file)
        #expect(FileManager.default.fileExists(atPath: file))
      }
    }
  }

  @Test func ordersWithoutSenseAreRefused() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    var negative = TransferOrder.download(1, URL(string: "http://127.0.0.1:9/"))
    negative.task = -1
    let bodiless = TransferOrder(task: 1, kind: .upload, request: Data(), shownURL: "")
    var relative = TransferOrder.download(1, URL(string: "http://127.0.0.1:9/"))
    relative.destination = "../somewhere"
    for order in [negative, bodiless, relative] {
      try await ground.serving { _ in
        let app = try await ground.app()
        app.send(.create(order))
        #expect(try await app.refusal().reason == .badMessage)
      }
    }
  }

  @Test func aTransferWithAnUnreadableRequestFailsAlone() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await TestServer.with { server in
      server.route("/f", reply: .text("fine"))
      try await ground.serving { _ in
        let app = try await ground.app()
        app.begin(TransferOrder(task: 1, kind: .download, request: Data("junk".utf8), shownURL: "?"))
        app.begin(.download(2, server.url("/f")))
        #expect(try await app.event(of: 1).outcome.error?.code == -1000)
        #expect(try await app.event(of: 2).outcome.error == nil)
      }
    }
  }

  @Test(.enabled(if: LocalClient.canChangeUser, "needs root and setpriv, to have a process of another user"))
  func anotherUsersProcessIsNotServedEvenIfTheFilesLetItThrough() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await ground.serving { _ in
      let socket = ground.places.socket
      let request = Array(try MessageCoding.encode(AppMessage.tool(.list)))
      let bytes = withUnsafeBytes(of: UInt32(request.count).bigEndian) { Array($0) } + request
      // The file's permissions keep it out.
      #expect(await LocalClient.answer(try LocalClient.start(socket, sending: bytes, isOtherUser: true)) == .notConnected)
      for folder in [ground.folder.path(percentEncoded: false), ground.file("run").path(percentEncoded: false)] { chmod(folder, 0o755) }
      chmod(URL(filePath: socket).deletingLastPathComponent().path(percentEncoded: false), 0o755)
      chmod(socket, 0o666)
      #expect(await LocalClient.answer(try LocalClient.start(socket, sending: bytes, isOtherUser: true)) == .closed)
      #expect(await LocalClient.answer(try LocalClient.start(socket, sending: bytes)) == .answered)
    }
  }
}
