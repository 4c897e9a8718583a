import Foundation

/// Starts child processes in this process's group, so that signals of the terminal's keys reach them.
package enum SpawnedProcess {
  /// An error with the system's error number.
  package struct Failure: Error {
    package let code: Int32
  }

  /// - Parameters:
  ///   - words: The path of the program, or the name that it is called by, followed by its arguments.
  ///   - path: The path of the program; nil for the first of the words.
  ///   - environment: All environment variables of the child; nil for those of this process.
  package static func start(
    _ words: [String], at path: String? = nil, environment: [String: String]? = nil
  ) throws(Failure) -> pid_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // This process may ignore SIGINT and SIGQUIT while it waits; the child must have their default actions.
    var restored = sigset_t()
    sigemptyset(&restored)
    for signal in [SIGINT, SIGQUIT, SIGPIPE] { sigaddset(&restored, signal) }
    posix_spawnattr_setsigdefault(&attributes, &restored)
    // Threads of a pool block signals; the child must not inherit that.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] = (environment ?? [:]).map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var process: pid_t = 0
    let code = variables.withUnsafeMutableBufferPointer { own in
      posix_spawn(&process, path ?? words[0], nil, &attributes, &arguments, environment == nil ? environ : own.baseAddress)
    }
    guard code == 0 else { throw Failure(code: code) }
    return process
  }

  /// Waits for a child's end. Returns its status as a shell reports it: 128 plus the signal's number after a signal.
  package static func wait(for process: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }
}
