import BackgroundTransfers
import ChildProcesses
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct MessageListenerTests {
  @Test func connectionsBecomeLinksThatKnowTheirPeer() async throws {
    try await Self.withListener { listener, path in
      let links = AsyncStream.makeStream(of: MessageLink.self)
      listener.start { links.continuation.yield($0) }
      let client = try ClientSocket(path)
      var iterator = links.stream.makeAsyncIterator()
      let link = try #require(await iterator.next())
      #expect(link.peer == LinkPeer(user: geteuid(), process: getpid()))
      let recorder = LinkRecorder(link)
      client.write(BarePeer.frame([1, 2, 3]))
      client.end()
      let (messages, end) = await recorder.rest()
      #expect(messages == [Data([1, 2, 3])] && end == .closed)
    }
  }

  @Test func socketIsForItsUserAloneAndGoesWithTheListener() async throws {
    try await Self.withListener { listener, path in
      listener.start { _ in }
      var status = stat()
      #expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
      #expect(listener.isReachable)
      // One that takes its place isn't removed with it.
      let other = try MessageListener(path: path)
      #expect(!listener.isReachable && other.isReachable)
      listener.close()
      #expect(other.isReachable)
      other.close()
      #expect(access(path, F_OK) != 0 && !other.isReachable)
    }
  }

  @Test func staleSocketIsReplacedAndNothingElse() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("s")
    do {
      // Its file stays behind.
      let descriptor = try #require(ClientSocket.bound(to: path))
      close(descriptor)
    }
    try MessageListener(path: path).close()
    try Data("letter".utf8).write(to: URL(filePath: path))
    #expect(throws: Refusal.self) { try MessageListener(path: path) }
    #expect(try Data(contentsOf: URL(filePath: path)) == Data("letter".utf8))
    unlink(path)
    symlink("/dev/null", path)
    #expect(throws: Refusal.self) { try MessageListener(path: path) }
  }

  @Test func pathAboveTheSystemsLimitIsRefusedWithAdvice() throws {
    let folder = try TemporaryFolder()
    let long = folder.path(String(repeating: "x", count: 107 - folder.path("").utf8.count))
    try MessageListener(path: long).close()
    #expect {
      try MessageListener(path: long + "x")
    } throws: { error in
      guard let refusal = error as? Refusal else { return false }
      return refusal.reason == .storage && refusal.text.contains("107") && refusal.text.contains("XDG_RUNTIME_DIR")
    }
  }

  @Test func linksBeyondTheLimitAreClosedUntilOthersEnd() async throws {
    var limits = ConnectionLimits()
    (limits.links, limits.linksOfProcess) = (20, 100)
    try await Self.withListener(limits) { listener, path in
      let links = AsyncStream.makeStream(of: MessageLink.self)
      listener.start { links.continuation.yield($0) }
      var iterator = links.stream.makeAsyncIterator()
      var kept: [(ClientSocket, MessageLink)] = []
      for _ in 0..<limits.links {
        let client = try ClientSocket(path)
        kept.append((client, try #require(await iterator.next())))
      }
      #expect(try ClientSocket(path).isAtEnd())
      // Its link goes with its last reference; its client sees that.
      let last = kept.removeLast().0
      #expect(last.isAtEnd())
      let client = try ClientSocket(path)
      let link = try #require(await iterator.next())
      link.send(AppMessage.launchHandled)
      link.closeAfterSending()
      #expect(!client.isAtEnd())
    }
  }

  @Test func aProcessWithManyLinksKeepsNoOtherOut() async throws {
    var limits = ConnectionLimits()
    (limits.links, limits.linksOfProcess) = (20, 3)
    try await Self.withListener(limits) { listener, path in
      let links = AsyncStream.makeStream(of: MessageLink.self)
      listener.start { links.continuation.yield($0) }
      var iterator = links.stream.makeAsyncIterator()
      var kept: [(ClientSocket, MessageLink)] = []
      for _ in 0..<limits.linksOfProcess { kept.append((try ClientSocket(path), try #require(await iterator.next()))) }
      #expect(try ClientSocket(path).isAtEnd())
      let other = try LocalClient.start(path, sending: [])
      let link = try #require(await iterator.next())
      #expect(link.peer.process == other.identifier)
      link.send(AppMessage.launchHandled)
      link.closeAfterSending()
      let answer = await LocalClient.answer(other)
      #expect(answer == .answered)
      kept.removeLast()
      kept.append((try ClientSocket(path), try #require(await iterator.next())))
    }
  }

  @Test func whatAllLinksHoldIsBoundedAndTheFullestPays() async throws {
    var limits = ConnectionLimits()
    limits.bytes = 4 << 20
    try await Self.withListener(limits) { listener, path in
      let links = AsyncStream.makeStream(of: MessageLink.self)
      listener.start { links.continuation.yield($0) }
      var iterator = links.stream.makeAsyncIterator()
      let idle = try ClientSocket(path)
      let fullest = try #require(await iterator.next())
      let reader = try ClientSocket(path)
      let other = try #require(await iterator.next())
      let recorder = LinkRecorder(fullest)
      let frame = Data(BarePeer.frame([UInt8](repeating: 0x20, count: 256 << 10)))
      for _ in 0..<14 { #expect(fullest.send(frame: frame)) }
      for _ in 0..<8 { #expect(other.send(frame: frame)) }
      #expect(await recorder.rest().end == .overfull)
      _ = LinkRecorder(other)
      other.closeAfterSending()
      #expect(reader.readAll() == 8 * frame.count)
      withExtendedLifetime(idle) {}
    }
  }

  @Test func messagesThatComeInPartCountAsWell() async throws {
    var limits = ConnectionLimits()
    limits.bytes = 1 << 20
    try await Self.withListener(limits) { listener, path in
      let links = AsyncStream.makeStream(of: MessageLink.self)
      listener.start { links.continuation.yield($0) }
      var iterator = links.stream.makeAsyncIterator()
      let client = try ClientSocket(path)
      let recorder = LinkRecorder(try #require(await iterator.next()))
      Thread.detachNewThread { client.writeAll(BarePeer.frame([UInt8](repeating: 0x20, count: 4 << 20))) }
      #expect(await recorder.rest().end == .overfull)
    }
  }

  @Test func whoSendsMuchIsToldWhenItHasLeft() async throws {
    let peer = try BarePeer()
    let recorder = LinkRecorder(peer.link)
    let frame = Data(BarePeer.frame([UInt8](repeating: 0x20, count: 1 << 20)))
    let told = AsyncStream.makeStream(of: Void.self)
    for _ in 0..<4 { #expect(peer.link.send(frame: frame)) }
    peer.link.afterSending { told.continuation.yield() }
    let reading = Task.detached { peer.readAll().count }
    var iterator = told.stream.makeAsyncIterator()
    await iterator.next()
    peer.link.closeAfterSending()
    #expect(await reading.value == 4 * frame.count)
    #expect(await recorder.rest().end == .closed)
  }

  @Test func descriptorOfTheSystemsIsListenedAt() async throws {
    let folder = try TemporaryFolder()
    let descriptor = try #require(ClientSocket.bound(to: folder.path("s")))
    try #require(listen(descriptor, 5) == 0)
    let listener = MessageListener(descriptor: descriptor)
    let links = AsyncStream.makeStream(of: MessageLink.self)
    listener.start { links.continuation.yield($0) }
    let client = try ClientSocket(folder.path("s"))
    var iterator = links.stream.makeAsyncIterator()
    _ = try #require(await iterator.next())
    listener.close()
    _ = client
    #expect(access(folder.path("s"), F_OK) == 0)
  }

  @Test func peersOfOtherUsersAreNotServed() {
    #expect(LinkPeer(user: geteuid(), process: 1).isOwnUser)
    #expect(!LinkPeer(user: geteuid() + 1, process: 1).isOwnUser)
  }

  private static func withListener(
    _ limits: ConnectionLimits = ConnectionLimits(), _ body: (MessageListener, String) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let listener = try MessageListener(path: folder.path("s"), limits: limits)
    defer { listener.close() }
    try await body(listener, folder.path("s"))
  }
}
