import BackgroundTransfers
import ChildProcesses
import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@testable import BackgroundDaemon

/// Disks that don't answer, such as a mount whose server is away.
@Suite(.timeLimit(.minutes(10))) struct HangingDiskTests {
  /// Where each access to a file waits.
  private final class HangingDisk: Sendable {
    private let gate = DispatchSemaphore(value: 0)
    private let count = Mutex(0)

    /// How many threads have come.
    var waiting: Int { count.withLock { $0 } }

    func touch(_ path: String) {
      guard path.contains("hanging") else { return }
      count.withLock { $0 += 1 }
      gate.wait()
      gate.signal()
    }

    func answer() { gate.signal() }
  }

  @Test func destinationsThatHangTakeFewThreadsAndHinderNoOtherTransfer() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let disk = HangingDisk()
    var options = DaemonGround.options
    options.touchingFile = { disk.touch($0) }
    let count = 100
    try await TestServer.with { server in
      server.route("/f", reply: .text("contents"))
      try await ground.serving(options) { _ in
        let tool = try await ground.app("tool")
        for task in 1...count { tool.begin(.download(task, server.url("/f"), destination: ground.file("hanging-\(task)"))) }
        try await tool.created(count)
        let app = try await ground.app("app")
        for task in 1...50 {
          app.begin(.download(task, server.url("/f")))
          #expect(try await app.event(of: task).outcome.error == nil)
        }
        #expect(disk.waiting <= 2)
        disk.answer()
        _ = try await ground.tool().list { list in !list.contains { $0.session == "tool" } }
      }
    }
    #expect(try String(contentsOf: ground.file("hanging-\(count)"), encoding: .utf8) == "contents")
  }

  @Test func sourcesThatHangGiveUpTheirPlaces() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let disk = HangingDisk()
    var options = DaemonGround.options
    options.maximumRunning = 4
    options.filePatience = 0.01
    options.touchingFile = { disk.touch($0) }
    let source = ground.file("hanging-source")
    try Data("body".utf8).write(to: source)
    try await TestServer.with { server in
      server.route("/f", reply: .text("contents"))
      try await ground.serving(options) { _ in
        let uploads = [try await ground.app("one"), try await ground.app("two")]
        for app in uploads {
          for task in 1...3 { app.begin(try .upload(task, server.url("/f"), of: source)) }
          try await app.created(3)
        }
        let app = try await ground.app("app")
        app.begin(.download(1, server.url("/f")))
        #expect(try await app.event().outcome.error == nil)
        disk.answer()
        for app in uploads {
          for _ in 1...3 { #expect(try await app.event().outcome.error == nil) }
        }
      }
    }
  }

  @Test func aLaneHasFewThreadsAndAllMountsTogetherAFewMore() async throws {
    let loop = DispatchQueue(label: "test")
    let gate = DispatchSemaphore(value: 0)
    let lanes = BlockingLanes(loop)
    let done = AsyncStream.makeStream(of: Void.self)
    loop.sync {
      for mount in 0..<20 {
        for _ in 0..<5 {
          lanes.run(.mount("/\(mount)")) {
            gate.wait()
            gate.signal()
            done.continuation.yield()
          }
        }
      }
      #expect(lanes.threads == 16)
      for _ in 0..<3 { lanes.run(.own) { done.continuation.yield() } }
    }
    var iterator = done.stream.makeAsyncIterator()
    for _ in 0..<3 { await iterator.next() }
    gate.signal()
    for _ in 0..<100 { await iterator.next() }
  }

  @Test func filesBelongToTheInnermostMount() {
    let table = """
      22 1 8:1 / / rw - ext4 /dev/sda rw
      30 22 0:5 / /mnt/with\\040space rw shared:1 - nfs server:/ rw
      31 22 0:6 / /mnt rw - tmpfs none rw
      32 22 0:7 broken

      """
    #expect(MountTable.mount(of: "/mnt/with space/a", in: table) == "/mnt/with space")
    #expect(MountTable.mount(of: "/mnt/with", in: table) == "/mnt")
    #expect(MountTable.mount(of: "/mntx/a", in: table) == "/")
    #expect(MountTable.mount(of: "/proc/self/stat") == "/proc")
  }
}
