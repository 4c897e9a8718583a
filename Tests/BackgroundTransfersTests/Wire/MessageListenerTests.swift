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
    try await Self.withListener { listener, path in
      let links = AsyncStream.makeStream(of: MessageLink.self)
      listener.start { links.continuation.yield($0) }
      var iterator = links.stream.makeAsyncIterator()
      var kept: [(ClientSocket, MessageLink)] = []
      for _ in 0..<MessageListener.maximumLinks {
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

  private static func withListener(_ body: (MessageListener, String) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    let listener = try MessageListener(path: folder.path("s"))
    defer { listener.close() }
    try await body(listener, folder.path("s"))
  }
}
