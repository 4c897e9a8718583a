import BackgroundTransfers
import Dispatch
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct MessageLinkTests {
  @Test func messagesArriveInOrderBothWays() async throws {
    let (one, other) = try Self.pair()
    let (atOne, atOther) = (LinkRecorder(one), LinkRecorder(other))
    for task in 0..<5000 {
      #expect(one.send(AppMessage.resume(task: task)))
      #expect(other.send(DaemonMessage.created(task: task)))
    }
    let tasks = try await atOther.next(5000, as: AppMessage.self).map { if case .resume(let task) = $0 { task } else { -1 } }
    let made = try await atOne.next(5000, as: DaemonMessage.self).map { if case .created(let task) = $0 { task } else { -1 } }
    #expect(tasks == Array(0..<5000) && made == Array(0..<5000))
    one.close()
    #expect(await atOne.rest().end == .closed)
    #expect(await atOther.rest().end == .closed)
    #expect(!one.send(AppMessage.launchHandled) && !other.send(AppMessage.launchHandled))
  }

  @Test func largestMessageArrives() async throws {
    let (one, other) = try Self.pair()
    let recorder = LinkRecorder(other)
    let content = Data(repeating: 0xA5, count: 12_000_000)
    let sender = LinkRecorder(one)
    #expect(one.send(content))
    #expect(try await recorder.next(1, as: Data.self) == [content])
    // Nothing of a message that is too large is sent: the link goes on.
    #expect(!one.send(Data(count: FrameReader.maximumMessage)))
    #expect(one.send(Data([1])))
    #expect(try await recorder.next(1, as: Data.self) == [Data([1])])
    one.close()
    #expect(await sender.rest().end == .closed)
  }

  @Test func whatWasSentBeforeTheStartArrives() async throws {
    let (one, other) = try Self.pair()
    #expect(one.send(AppMessage.launchHandled))
    one.closeAfterSending()
    #expect(!one.send(AppMessage.launchHandled))
    let (messages, end) = await LinkRecorder(other).rest()
    #expect(messages.count == 1 && end == .closed)
  }

  @Test func peersEndIsKnownBeforeItIsRead() async throws {
    let peer = try BarePeer()
    #expect(!peer.link.peerHasClosed)
    peer.write(BarePeer.frame(try MessageCoding.encode(AppMessage.launchHandled)))
    #expect(!peer.link.peerHasClosed)
    peer.end()
    #expect(peer.link.peerHasClosed)
    let (messages, end) = await LinkRecorder(peer.link).rest()
    #expect(messages.count == 1 && end == .closed && peer.link.peerHasClosed)
  }

  @Test func closingAfterSendingSendsEverythingFirst() async throws {
    let peer = try BarePeer()
    let recorder = LinkRecorder(peer.link)
    let content = Data(repeating: 7, count: 3_000_000)
    for _ in 0..<3 { peer.link.send(content) }
    peer.link.closeAfterSending()
    let bytes = await Self.onThread { peer.readAll() }
    let frame = BarePeer.frame(try MessageCoding.encode(content))
    #expect(bytes == frame + frame + frame)
    #expect(await recorder.rest().end == .closed)
  }

  @Test func waitForWritingEndsWhenAllOfItHasLeft() async throws {
    let peer = try BarePeer()
    let recorder = LinkRecorder(peer.link)
    let content = Data(repeating: 7, count: 3_000_000)
    #expect(peer.link.send(content))
    async let written = Self.onThread { peer.link.waitUntilWritten() }
    let frame = BarePeer.frame(try MessageCoding.encode(content))
    let bytes = await Self.onThread { peer.readExactly(frame.count) }
    #expect(await written == .written && bytes == frame)
    peer.link.close()
    #expect(await recorder.rest().end == .closed)
    #expect(peer.link.waitUntilWritten() == .over)
  }

  @Test func waitForWritingEndsWithThePeer() async throws {
    let peer = try BarePeer()
    let recorder = LinkRecorder(peer.link)
    #expect(peer.link.send(Data(count: 3_000_000)))
    async let written = Self.onThread { peer.link.waitUntilWritten() }
    peer.end()
    #expect(await written == .over)
    #expect(await recorder.rest().end == .closed)
  }

  /// The peer is this very process, which does something: only the longest time counts.
  @Test func peerThatTakesNothingIsWaitedForOnce() async throws {
    let peer = try BarePeer()
    let recorder = LinkRecorder(peer.link)
    #expect(peer.link.send(Data(count: 3_000_000)))
    var rules = AnswerPatience()
    (rules.longest, rules.unseen, rules.lifeless) = (0.5, 0.5, 0.5)
    let first = await Self.onThread { [rules] in peer.link.waitUntilWritten(rules) }
    // With the standard rules this one would wait for some seconds more.
    let second = await Self.onThread { peer.link.waitUntilWritten() }
    #expect(first == .stalled && second == .stalled)
    // It goes on.
    async let bytes = Self.onThread { peer.readAll() }
    peer.link.closeAfterSending()
    #expect(await bytes.count > 3_000_000)
    #expect(await recorder.rest().end == .closed)
  }

  @Test func waitForWritingFromTheLinksOwnCallsEndsAtOnce() async throws {
    let (one, other) = try Self.pair()
    let results = AsyncStream.makeStream(of: MessageLink.Written.self)
    one.start(received: { _ in results.continuation.yield(one.waitUntilWritten()) }, ended: { _ in })
    let recorder = LinkRecorder(other)
    #expect(other.send(AppMessage.launchHandled))
    var all = results.stream.makeAsyncIterator()
    #expect(await all.next() == .unknown)
    one.close()
    #expect(await recorder.rest().end == .closed)
  }

  /// As where another process has inherited the peer's end: the stream doesn't end by itself.
  @Test func closingAfterReadingReadsWhatHasCome() async throws {
    let peer = try BarePeer()
    let message = BarePeer.frame([UInt8](repeating: 1, count: 50_000))
    peer.write(message)
    let recorder = LinkRecorder(peer.link)
    peer.link.closeAfterReading()
    let (messages, end) = await recorder.rest()
    #expect(messages == [Data(repeating: 1, count: 50_000)] && end == .closed)
  }

  @Test func peerThatDoesntReadIsCutOff() async throws {
    let peer = try BarePeer()
    let recorder = LinkRecorder(peer.link)
    let content = Data(count: 3 << 20)
    let accepted = (0..<100).prefix { _ in peer.link.send(content) }.count
    // Four mebibytes each, of 32, and what the socket holds.
    #expect((7...8).contains(accepted))
    #expect(await recorder.rest().end == .overfull)
  }

  @Test func refusalOfAPeerThatHasClosedIsRead() async throws {
    let peer = try BarePeer()
    peer.write(BarePeer.frame(try MessageCoding.encode(DaemonMessage.refused(Refusal(.version, "old")))))
    // It leaves data unread, so that the link's next send fails.
    peer.link.send(AppMessage.launchHandled)
    #expect(shutdown(peer.socket, Int32(SHUT_RD)) == 0)
    let recorder = LinkRecorder(peer.link)
    peer.link.send(AppMessage.launchHandled)
    let messages = try await recorder.next(1, as: DaemonMessage.self)
    #expect(messages.count == 1)
    peer.endWriting()
    #expect(await recorder.rest().end == .closed)
  }

  @Test(arguments: [[0, 0, 0, 0], [1, 0, 0, 1], [255, 255, 255, 255, 1]] as [[UInt8]])
  func lengthOutsideTheLimitsEndsTheLink(_ bytes: [UInt8]) async throws {
    let peer = try BarePeer()
    let recorder = LinkRecorder(peer.link)
    peer.write(BarePeer.frame([1, 2]) + bytes)
    let (messages, end) = await recorder.rest()
    guard case .damaged(let text) = end else {
      Issue.record("\(String(describing: end))")
      return
    }
    #expect(messages == [Data([1, 2])] && text.contains("message"))
    #expect(await Self.onThread { peer.readAll() } == [])
  }

  @Test func endWithinAMessageIsDamage() async throws {
    let peer = try BarePeer()
    let recorder = LinkRecorder(peer.link)
    peer.write([0, 0, 0, 9, 1])
    peer.endWriting()
    let (messages, end) = await recorder.rest()
    guard case .damaged = end else {
      Issue.record("\(String(describing: end))")
      return
    }
    #expect(messages == [])
  }

  @Test func nothingIsReadWhileMessagesAreHandled() async throws {
    let peer = try BarePeer()
    let (begun, rest) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let ended = AsyncStream.makeStream(of: LinkEnd.self)
    peer.link.start(
      received: { _ in
        begun.signal()
        rest.wait()
      }, ended: { ended.continuation.yield($0) })
    peer.write(BarePeer.frame([1]))
    await Self.onThread { begun.wait() }
    // What the socket itself holds, and no more.
    #expect(peer.fill(limit: 64 << 20) < 64 << 20)
    peer.link.close()
    for _ in 0..<2 { rest.signal() }
    var ends = ended.stream.makeAsyncIterator()
    #expect(await ends.next() == .closed)
  }

  /// The peer closes before the link starts, while messages are on their way, and while the link waits for room.
  @Test func endIsToldWheneverThePeerCloses() async throws {
    let content = Data(count: 100_000)
    for round in 0..<200 {
      let peer = try BarePeer()
      let isEarly = round % 2 == 0
      let recorder = isEarly ? nil : LinkRecorder(peer.link)
      peer.write(BarePeer.frame([UInt8](repeating: 1, count: 90_000)) + BarePeer.frame([2]))
      for _ in 0..<round % 7 { peer.link.send(content) }
      peer.end()
      let (messages, end) = await (recorder ?? LinkRecorder(peer.link)).rest()
      #expect(messages.last == Data([2]) && end == .closed)
    }
  }

  @Test func endIsToldOnceHoweverOftenALinkIsClosed() async throws {
    let (one, other) = try Self.pair()
    let recorder = LinkRecorder(one)
    await withTaskGroup { group in
      for _ in 0..<20 { group.addTask { one.close() } }
      for _ in 0..<20 { group.addTask { one.closeAfterSending() } }
      for _ in 0..<20 { group.addTask { other.close() } }
    }
    #expect(await recorder.rest().end == .closed)
    #expect(await recorder.finish() == [])
    let late = LinkRecorder(one)
    #expect(await late.rest().end == .closed)
  }

  @Test func linkThatWasNeverStartedClosesItsSocket() throws {
    var (peer, socket): (BarePeer?, Int32) = (try BarePeer(), -1)
    socket = dup(try #require(peer?.socket))
    defer { close(socket) }
    peer = nil
    var byte: UInt8 = 0
    #expect(read(socket, &byte, 1) == 0)
  }

  @Test func closingALinkThatWasNeverStartedIsSeenByThePeer() throws {
    let peer = try BarePeer()
    peer.link.close()
    #expect(peer.readAll() == [])
  }

  private static func pair() throws -> (MessageLink, MessageLink) {
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    let peer = LinkPeer(user: geteuid(), process: getpid())
    return (MessageLink(descriptor: ends[0], peer: peer), MessageLink(descriptor: ends[1], peer: peer))
  }

  private static func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: body()) }
    }
  }
}
