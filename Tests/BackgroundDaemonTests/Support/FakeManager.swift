import BackgroundTransfers
import ChildProcesses
import Foundation

/// What systemd does for a daemon: listens at a socket of its own name, starts the daemon with it, and hears what it says.
final class FakeManager: Sendable {
  let path: String
  let notices: NoticeSocket
  private let descriptor: Int32
  private let environment: [String: String]

  init(_ ground: DaemonGround, variables: [String: String] = [:]) throws {
    path = ground.file("run/systemd.sock").path(percentEncoded: false)
    notices = try NoticeSocket(ground, isAbstract: false)
    environment = ground.environment.merging(["NOTIFY_SOCKET": notices.name, "URLSESSIOND_IDLE_EXIT": "600"]) { $1 }
      .merging(variables) { $1 }
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let code = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
    guard code == 0, listen(descriptor, 16) == 0 else { throw TestFailure(text: String(cString: strerror(errno))) }
  }

  deinit { close(descriptor) }

  /// The daemon's executable.
  static func executable() throws -> String {
    guard let file = DaemonStarter.executable(environment: ProcessInfo.processInfo.environment) else {
      throw TestFailure(text: "urlsessiond wasn't built")
    }
    return file.path(percentEncoded: false)
  }

  /// Starts the daemon for the socket, as for a first connection.
  func activate() throws -> StartedDaemon {
    try StartedDaemon(
      "/bin/sh", ["-c", "LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\"", FakeManager.executable()], environment, descriptor: descriptor)
  }

  /// Starts the daemon without a socket, as an app does.
  func startForApp() throws -> StartedDaemon { try StartedDaemon(FakeManager.executable(), [], environment, descriptor: nil) }

  /// What the socket's unit does when it has begun to listen.
  func link() throws {
    let child = try ChildProcess(
      FakeManager.executable(), ["--link-socket", path], in: URL(filePath: "/"), environment: environment)
    guard child.wait() == 0 else { throw TestFailure(text: "the socket can't be linked") }
  }

  /// Whether a connection waits to be accepted: what has systemd start the daemon.
  var hasConnection: Bool {
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return Foundation.poll(&poll, 1, 0) == 1
  }
}

/// A daemon that a test has started. It is killed with the value.
final class StartedDaemon: Sendable {
  let process: pid_t

  init(_ program: String, _ arguments: [String], _ environment: [String: String], descriptor: Int32?) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0)
    // SD_LISTEN_FDS_START. A descriptor that is duplicated onto itself isn't closed by exec any more.
    if let descriptor { posix_spawn_file_actions_adddup2(&actions, descriptor, 3) }
    for other in (descriptor == nil ? 3 : 4)..<1024 as Range<Int32> { posix_spawn_file_actions_addclose(&actions, other) }
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for word in words + variables { free(word) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, program, &actions, nil, &words, &variables)
    guard code == 0 else { throw TestFailure(text: String(cString: strerror(code))) }
    self.process = process
  }

  deinit { kill(process, SIGKILL) }

  /// Waits for its end, on a thread of its own. To be called once.
  /// - Returns: The exit status; nil if a signal has ended it.
  func end() async -> Int32? {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { [process] in
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        continuation.resume(returning: status & 0x7F == 0 ? (status >> 8) & 0xFF : nil)
      }
    }
  }
}
