import Foundation

/// A program started for a test, in a process group of its own.
///
/// Not Foundation's `Process`: that one lets the program inherit the blocked signals of the thread that starts it, so that it can't be
/// ended politely, and is safe only while few files are open.
struct ChildProcess {
  private let identifier: pid_t

  /// - Throws: The error of the system call.
  init(_ program: String, _ arguments: [String], in folder: URL) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [0, 1, 2] as [Int32] { posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
    // `env` changes the folder and becomes the program.
    let env = "/usr/bin/env"
    var words = ([env, "-C", folder.path(percentEncoded: false), program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var identifier: pid_t = 0
    let result = posix_spawn(&identifier, env, &actions, &attributes, &words, environ)
    guard result == 0 else { throw NSError(domain: NSPOSIXErrorDomain, code: Int(result)) }
    self.identifier = identifier
  }

  /// Whether it hasn't ended yet.
  var isRunning: Bool { kill(identifier, 0) == 0 && waitpid(identifier, nil, WNOHANG) == 0 }

  /// Ends the whole group at once.
  func stop() {
    kill(-identifier, SIGKILL)
    waitpid(identifier, nil, 0)
  }

  /// Waits for the end. For programs that end soon by themselves.
  /// - Returns: The exit status; nil if a signal ended it.
  func wait() -> Int32? {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : nil
  }
}
