import BackgroundTransfers
import ChildProcesses
import Foundation
import Testing

/// A daemon of an older version that runs when an app of this one comes.
@Suite(.timeLimit(.minutes(10))) struct OlderDaemonTests {
  private static let variable = "OLDER_DAEMON"

  @Test func anOlderDaemonGivesItsPlaceToANewerOne() async throws {
    let ground = try KillGround(jobs: [])
    defer {
      if let daemon = ground.daemon { kill(daemon, SIGTERM) }
      ground.remove()
    }
    let older = try await startOlder(ground)
    let url = "http://127.0.0.1:9/"
    #expect(try await ground.runApp("--enqueue", url, "3") == "")
    #expect(await older.end() == .signal(SIGTERM))
    #expect(try await ground.runApp("--tasks", url) == "3 tasks, 3 running\n")
  }

  /// The commands of the tool: those that ask, that add, and that change something.
  @Test(arguments: ["add --not-before 18000 http://127.0.0.1:9/f", "list", "log", "status", "pause 1", "cancel 1", "clear"])
  func anOlderDaemonGivesItsPlaceToThatOfANewerTool(command: String) async throws {
    let ground = try KillGround(jobs: [])
    defer {
      if let daemon = ground.daemon { kill(daemon, SIGTERM) }
      ground.remove()
    }
    try await runTool("add --not-before 18000 http://127.0.0.1:9/f", ground)
    let daemon = try #require(ground.daemon)
    kill(daemon, SIGTERM)
    await release(of: ground)
    let older = try await startOlder(ground)
    try await runTool(command, ground)
    #expect(await older.end() == .signal(SIGTERM))
    #expect(ground.daemon != nil)
  }

  private func runTool(_ command: String, _ ground: KillGround) async throws {
    let errors = ground.folder.appending(path: "errors-\(UUID().uuidString)")
    try Data().write(to: errors)
    let tool = try ChildProcess(
      TestProgram.product("urlload"), ["background"] + command.split(separator: " ").map(String.init), in: ground.folder,
      environment: ground.environment, errors: .file(errors))
    let ending = await tool.end()
    let text = try String(contentsOf: errors, encoding: .utf8)
    #expect(ending == .exit(0), "\(command): \(text)")
  }

  /// Returns when it listens.
  private func startOlder(_ ground: KillGround) async throws -> ChildProcess {
    let listening = try FileArrival("listening", in: ground.folder)
    let older = try ChildProcess(
      ofThisProgram: "OlderDaemonTests/olderDaemonListens", in: ground.folder,
      environment: ground.environment.merging([Self.variable: "1"]) { $1 })
    try #require(await listening.wait())
    return older
  }

  /// Returns when the daemon that ran has ended.
  private func release(of ground: KillGround) async {
    guard let places = try? BackgroundPlaces(environment: ground.environment, home: ground.folder) else { return }
    await LockRelease.wait(for: places.lock.path(percentEncoded: false))
  }

  @Test(.enabled(if: ProcessInfo.processInfo.environment[variable] != nil, "only in a child process"))
  func olderDaemonListens() async throws {
    // It isn't ended by a test that fails.
    alarm(UInt32(HangLimit.seconds))
    let places = try BackgroundPlaces.standard()
    let lock = open(places.lock.path(percentEncoded: false), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    var mark = Foundation.flock()
    mark.l_type = Int16(F_WRLCK)
    mark.l_whence = Int16(SEEK_SET)
    try #require(flock(lock, LOCK_EX | LOCK_NB) == 0 && fcntl(lock, F_SETLK, &mark) == 0)
    let listener = try places.listen()
    listener.start { link in
      link.start(
        received: { _ in
          var refusal = Refusal(.version, "The app speaks another version.")
          refusal.version = 0
          link.send(DaemonMessage.refused(refusal))
          link.closeAfterSending()
        }, ended: { _ in })
    }
    try Data().write(to: URL(filePath: "draft"))
    try #require(rename("draft", "listening") == 0)
    // Until it is asked to end.
    let forever = AsyncStream<Void> { _ in }
    for await _ in forever {}
    listener.close()
  }

  @Test func aPeerThatDoesntServeTheFolderIsntAskedToEnd() throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let child = try ChildProcess("/bin/sleep", ["300"], in: ground.folder)
    defer { child.stop() }
    let peer = LinkPeer(user: geteuid(), process: child.identifier)
    #expect(!OlderDaemon.end(peer, version: 0, of: ground.places))
    #expect(child.isRunning)
  }
}
