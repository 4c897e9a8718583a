import BackgroundTransfers
import ChildProcesses
import Foundation
import MessageSamples
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Peers that send anything, beside an app whose transfers go on. The daemon is a process of its own, which a trap would end.
@Suite(.timeLimit(.minutes(15))) struct DaemonFuzzTests {
  private static let parts = 4
  private static let count = ProcessInfo.processInfo.environment["FUZZ_MESSAGES"].flatMap { Int($0) } ?? 20_000
  /// The daemon ends a connection with the first message that makes no sense.
  private static let messagesOfConnection = 2

  @Test func mutatedMessagesHarmNeitherTheDaemonNorAnothersTransfers() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let manager = try FakeManager(ground)
    let daemon = try manager.startForApp()
    #expect(await manager.notices.next() == "READY=1")
    let gate = Gate()
    try await TestServer.with { server in
      server.route("/before", reply: Reply(body: .pattern(count: 100_000), faults: [.delayBeforeHeaders(gate)]))
      server.route("/after", reply: .text("fine"))
      let app = try await ground.app()
      app.begin(.download(1, server.url("/before")))
      try await gate.reached()
      let sent = try await withThrowingTaskGroup { group in
        for part in 0..<Self.parts { group.addTask { try await Self.attack(ground, part) } }
        return try await group.reduce(0, +)
      }
      #expect(sent >= Self.count)
      gate.open()
      let event = try await app.event(of: 1)
      #expect(event.outcome.error == nil)
      #expect(try AlphabetPattern.fill(URL(filePath: #require(event.outcome.file)), count: 100_000))
      app.begin(.download(2, server.url("/after")))
      #expect(try await app.event(of: 2).outcome.error == nil)
      guard case .status(let status) = try await ground.tool().ask(.status) else { throw TestFailure(text: "no status") }
      #expect(status.process == daemon.process)
      kill(daemon.process, SIGTERM)
      #expect(await daemon.end() == 0)
    }
  }

  /// On a thread of its own: it blocks.
  /// - Returns: How many messages were sent.
  private static func attack(_ ground: DaemonGround, _ part: Int) async throws -> Int {
    let samples = try SampleMessages.app.map { [UInt8](try MessageCoding.encode($0)) }
    let attachment = Attachment(
      terms: ground.terms("hostile-\(part)"), answersChallenges: true, answersDelays: true, wasLaunched: false, process: getpid())
    let greetings = try [AppMessage.attach(attachment), .tool(.status)].map { [UInt8](try MessageCoding.encode($0)) }
    return try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        var mutations = MessageMutations(seed: UInt64(part) &* 31_337 &+ 7)
        continuation.resume(
          with: Result {
            var sent = 0
            while sent < count / parts {
              var messages = (0..<messagesOfConnection).map { _ in mutations.mutated(samples) }
              if mutations.below(4) > 0 { messages.insert(greetings[mutations.below(2)], at: 0) }
              try HostilePeer.send(messages, to: ground.places.socket)
              sent += messagesOfConnection
            }
            return sent
          })
      }
    }
  }
}

/// A bare connection, which is written in one piece and read to its end. Blocks.
private enum HostilePeer {
  static func send(_ messages: [[UInt8]], to path: String) throws {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let code = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
    guard code == 0 else { throw TestFailure(text: "the daemon doesn't listen: \(String(cString: strerror(errno)))") }
    var patience = timeval(tv_sec: HangLimit.seconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var rest = messages.flatMap { message in withUnsafeBytes(of: UInt32(message.count).bigEndian) { Array($0) } + message }[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      // It may have ended the connection at the first message.
      guard count > 0 else { break }
      rest = rest.dropFirst(count)
    }
    shutdown(descriptor, Int32(SHUT_WR))
    var answer = [UInt8](repeating: 0, count: 65_536)
    while uninterrupted({ read(descriptor, &answer, answer.count) }) > 0 {}
  }
}
