import ChildProcesses
import Foundation
import Testing

@testable import BackgroundTransfers

@Suite(.timeLimit(.minutes(10))) struct DaemonStarterTests {
  private static let listensVariable = "BACKGROUND_TEST_DAEMON"
  private let folder: TemporaryFolder
  private var environment: [String: String]

  init() throws {
    folder = try TemporaryFolder()
    _ = try folder.folder("run")
    environment = ProcessInfo.processInfo.environment
    environment["URL_LOADING_SYSTEM_HOME"] = folder.path("h")
    environment["XDG_RUNTIME_DIR"] = folder.path("run")
    environment["URLSESSIOND_PATH"] = folder.path("daemon")
  }

  /// One data folder, and as many daemons as there are connections being made: the lock says which of them runs.
  @Test(.enabled(if: !TestProgram.isEmulated, "an emulator takes longer to start this program than one waits before it starts another"))
  func severalThatStartItAtOnceAreServedByOneDaemon() async throws {
    let words = [TestProgram.path] + TestProgram.arguments(test: "daemonOfTheTestsListens")
    try script("\(Self.listensVariable)=1 exec \(words.joined(separator: " "))")
    defer { endDaemons() }
    let starter = DaemonStarter(places: try places(), environment: environment)
    let links = try await withThrowingTaskGroup { group in
      for _ in 0..<3 { group.addTask { try await Self.connect(starter) } }
      return try await group.reduce(into: [MessageLink]()) { $0.append($1) }
    }
    #expect(links.count == 3 && Set(links.map(\.peer.process)).count == 1)
    let daemon = try #require(links.first?.peer.process)
    #expect(daemon != getpid() && getsid(daemon) != getsid(0) && getsid(daemon) != daemon)
    // Not this process's child: there is nothing to wait for.
    #expect(waitpid(daemon, nil, WNOHANG) == -1)
    let recorders = links.map { LinkRecorder($0) }
    for (link, recorder) in zip(links, recorders) {
      link.send(AppMessage.tool(.status))
      #expect(try await recorder.next(1, as: DaemonMessage.self).count == 1)
    }
    links[0].send(AppMessage.launchHandled)
    for recorder in recorders { #expect(await recorder.rest().end == .closed) }
  }

  @Test(.enabled(if: ProcessInfo.processInfo.environment[listensVariable] != nil, "only in a child process"))
  func daemonOfTheTestsListens() async throws {
    // It isn't a child of the test's, which may be ended before it can end this.
    alarm(UInt32(HangLimit.seconds))
    let places = try BackgroundPlaces.standard()
    let lock = open(places.lock.path(percentEncoded: false), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0 else { return }
    let listener = try places.listen()
    let ends = AsyncStream.makeStream(of: Void.self)
    listener.start { link in
      link.start(
        received: { messages in
          for data in messages {
            switch try? MessageCoding.decode(AppMessage.self, from: data) {
            case .tool: link.send(DaemonMessage.tool(.done))
            default: ends.continuation.yield()
            }
          }
        }, ended: { _ in })
    }
    var iterator = ends.stream.makeAsyncIterator()
    await iterator.next()
    listener.close()
  }

  @Test func daemonIsDetachedFromItsStarter() async throws {
    let report = folder.path("report")
    try script(
      """
      exec > '\(report).new'
      pwd; echo "$URL_LOADING_SYSTEM_HOME|$NOTIFY_SOCKET|$LISTEN_FDS|$0"
      ls -l /proc/$$/fd
      mv '\(report).new' '\(report)'
      """)
    // What another program must not inherit.
    let descriptor = open("/dev/zero", O_RDONLY)
    let far = fcntl(descriptor, F_DUPFD, 900)
    defer { for open in [descriptor, far] { close(open) } }
    var environment = environment
    environment["NOTIFY_SOCKET"] = "/run/app"
    environment["LISTEN_FDS"] = "1"
    let starter = DaemonStarter(places: try places(), environment: environment)
    let arrival = try FileArrival("report", in: folder.url)
    // It never listens.
    await #expect(throws: Refusal.self) { try await Self.connect(starter, patience: 0.01) }
    try #require(await arrival.wait())
    let lines = try String(contentsOf: URL(filePath: report), encoding: .utf8).split(separator: "\n").map { String($0) }
    #expect(lines.prefix(2) == ["/", "\(folder.path("h"))|||\(folder.path("daemon"))"])
    let open = lines.dropFirst(2).compactMap { line in line.firstRange(of: " -> ").map { String(line[$0.upperBound...]) } }
    // Standard output is the report; the script itself is open.
    #expect(open.filter { $0 == "/dev/null" }.count == 2 && open.contains("\(report).new"))
    #expect(open.allSatisfy { $0 == "/dev/null" || $0.hasPrefix(folder.path("")) }, "\(open)")
  }

  /// It serves other apps as well: neither secrets nor settings of this one reach it.
  @Test func daemonGetsFewOfTheVariables() async throws {
    let report = folder.path("report")
    try script("env > '\(report).new'; mv '\(report).new' '\(report)'")
    let others = [
      "SSL_CERT_FILE", "SSL_CERT_DIR", "SSLKEYLOGFILE", "http_proxy", "HTTPS_PROXY", "NOTIFY_SOCKET", "LD_PRELOAD_OF_OTHERS",
      "AWS_SECRET_ACCESS_KEY", "URL_LOADING_SYSTEM_ATS", "URL_LOADING_SYSTEM_LOG", "URLSESSION_LAUNCH_IDENTIFIER", "KRB5CCNAME",
    ]
    let passed = ["URLSESSIOND_IDLE_EXIT": "7", "LC_ALL": "C", "HOME": "/home/of-the-user", "TMPDIR": "/tmp/of-the-user"]
    var environment = environment.merging(passed) { $1 }
    for name in others { environment[name] = "of one app" }
    let starter = DaemonStarter(places: try places(), environment: environment)
    let arrival = try FileArrival("report", in: folder.url)
    await #expect(throws: Refusal.self) { try await Self.connect(starter, patience: 0.01) }
    try #require(await arrival.wait())
    let lines = try String(contentsOf: URL(filePath: report), encoding: .utf8).split(separator: "\n").map { String($0) }
    for (name, value) in passed { #expect(lines.contains("\(name)=\(value)")) }
    #expect(lines.contains("URL_LOADING_SYSTEM_HOME=\(folder.path("h"))"))
    #expect(!lines.contains { $0.hasSuffix("=of one app") }, "\(lines)")
  }

  /// Beside a file that a program was given, whatever its name, there may be anything.
  @Test func folderOfATestBundleCountsToProgramsThatRunTestsAlone() {
    let bundle = "/home/other/Package.xctest"
    #expect(DaemonStarter.besides(arguments: ["/usr/bin/editor", bundle]).count == 1)
    for runner in ["/usr/bin/xctest", "/usr/libexec/swift/swiftpm-testing-helper", "/build/AllTests.xctest"] {
      #expect(DaemonStarter.besides(arguments: [runner, bundle]).last?.path(percentEncoded: false) == "/home/other/")
    }
  }

  @Test func programThatCantRunIsAnErrorAtOnce() async throws {
    try Data("no program".utf8).write(to: URL(filePath: folder.path("daemon")))
    try #require(chmod(folder.path("daemon"), 0o700) == 0)
    let starter = DaemonStarter(places: try places(), environment: environment)
    await #expect {
      try await Self.connect(starter)
    } throws: {
      ($0 as? Refusal)?.text.contains(folder.path("daemon")) == true
    }
  }

  @Test func daemonWithAnotherRuntimeFolderIsFound() async throws {
    let listener = try places().listen()
    listener.start { $0.closeAfterSending() }
    defer { listener.close() }
    var environment = environment
    environment["XDG_RUNTIME_DIR"] = try folder.folder("run2").path()
    environment["URLSESSIOND_PATH"] = "/absent"
    let places = try BackgroundPlaces(environment: environment, home: folder.url)
    let link = try await Self.connect(DaemonStarter(places: places, environment: environment))
    #expect(link.peer.process == getpid())
  }

  /// Ends what is left of the daemons that the test has started: each attempt to connect starts one, and some begin late.
  private func endDaemons() {
    let variable = Data("URL_LOADING_SYSTEM_HOME=\(folder.path("h"))\0".utf8)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    for process in names.compactMap({ pid_t($0) }) where process != getpid() {
      let environment = FileManager.default.contents(atPath: "/proc/\(process)/environ")
      if environment?.firstRange(of: variable) != nil { kill(process, SIGKILL) }
    }
  }

  private func places() throws -> BackgroundPlaces { try BackgroundPlaces(environment: environment, home: folder.url) }

  /// The program that is started as the daemon. Copied: a file that a program which another test starts still has open for writing can't be run.
  private func script(_ text: String) throws {
    try Data("#!/bin/sh\n\(text)\n".utf8).write(to: URL(filePath: folder.path("text")))
    try #require(chmod(folder.path("text"), 0o700) == 0)
    try #require(ChildProcess("cp", [folder.path("text"), folder.path("daemon")], in: folder.url).wait() == 0)
  }

  /// Waits on a thread of its own.
  private static func connect(_ starter: DaemonStarter, patience: Double = Double(HangLimit.seconds)) async throws -> MessageLink {
    // Unsafe: ThreadSanitizer doesn't see what a checked one hands over.
    try await withUnsafeThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try starter.connect(patience: patience) }) }
    }
  }
}
