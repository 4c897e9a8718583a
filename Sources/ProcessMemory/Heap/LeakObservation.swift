import CLoadingTracing
import Foundation

/// Runs a command with the library preloaded. The processes report to this one, which stops and examines them. All calls are made on the thread that
/// calls `run`. A process can have only one run at a time, as the run takes over the process's signals.
///
///     started  →  running  →  ending: stopped, copied, let run on; it waits for the answer  →  ended
///                    ↑ the signal: stopped, copied, let run on
package final class LeakObservation {
  /// The command to run and the options of its examination.
  package struct Plan: Sendable {
    /// The path of the program, and its arguments, of which the first is its name.
    package var path: String
    package var arguments: [String]
    /// The path of the library to preload.
    package var library: String
    /// The environment of the program, without the variables for the library.
    package var environment: [String: String]
    package var recordsStacks = false
    package var includesChildren = false
    /// When this process receives this signal, the command is examined while it runs.
    package var signal: Int32 = SIGUSR2

    package init(path: String, arguments: [String], library: String, environment: [String: String]) {
      self.path = path
      self.arguments = arguments
      self.library = library
      self.environment = environment
    }
  }

  /// How the command ended.
  package enum Ending: Sendable, Equatable {
    case exit(Int32)
    case signal(Int32)
  }

  /// The events that `run` reports to its handler.
  package enum Event {
    case examined(LeakExamination, process: Int32, LeakReport.Moment, exitStatus: Int32?)
    /// A process couldn't be stopped or read.
    case failed(process: Int32, MemorySnapshot.Failure)
  }

  /// Why the command couldn't be run.
  package enum Failure: Error, Equatable {
    case system(Int32)
    /// The program has run to this end without loading the library, so it wasn't examined.
    case notLoaded(Ending)
  }

  private static let attempts = 1000

  private let plan: Plan
  private let socket: LeakSocket
  private let handle: (Event) -> Void
  private var command: Int32 = -1
  /// The addresses of the records of the recorded processes, by process ID.
  private var records: [Int32: UInt64] = [:]
  private var hasStarted = false

  /// Creates a run.
  ///
  /// - Parameters:
  ///   - plan: The command and the options.
  ///   - handle: Called for each examination and each failure of one.
  package init(_ plan: Plan, _ handle: @escaping (Event) -> Void) throws(Failure) {
    do { socket = try LeakSocket() } catch { throw .system(error.code) }
    self.plan = plan
    self.handle = handle
  }

  /// Runs the command until it ends; returns how it ended.
  package func run() throws(Failure) -> Ending {
    var signalPipe: [Int32] = [-1, -1]
    guard pipe(&signalPipe) == 0 else { throw .system(errno) }
    for end in signalPipe {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    defer { for end in signalPipe { close(end) } }
    let forwarded = [SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, plan.signal]
    let code = loading_leaks_forward_signals(forwarded, forwarded.count, signalPipe[1])
    guard code == 0 else { throw .system(code) }
    defer { loading_leaks_stop_forwarding() }
    try start()
    while true {
      var waiting = [
        pollfd(fd: signalPipe[0], events: Int16(POLLIN), revents: 0), pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&waiting, 2, -1) >= 0 || errno == EINTR else { throw .system(errno) }
      if waiting[1].revents & Int16(POLLIN) != 0 { socket.answer(received) }
      var number: UInt8 = 0
      while read(signalPipe[0], &number, 1) == 1 { received(signal: Int32(number)) }
      if let ending = endingIfEnded() {
        guard hasStarted else { throw .notLoaded(ending) }
        return ending
      }
    }
  }

  private func start() throws(Failure) {
    var environment = plan.environment
    let before = environment["LD_PRELOAD"].map { ":\($0)" } ?? ""
    environment["LD_PRELOAD"] = plan.library + before
    environment["URLLOAD_LEAKS_SOCKET"] = socket.path
    environment["URLLOAD_LEAKS_STACKS"] = plan.recordsStacks ? "1" : nil
    environment["URLLOAD_LEAKS_CHILDREN"] = plan.includesChildren ? "1" : nil
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    // The tool ignores SIGPIPE, which the command would inherit: it would go on writing when the reader of its output has closed the pipe.
    var restored = sigset_t()
    sigemptyset(&restored)
    sigaddset(&restored, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &restored)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    var arguments = plan.arguments.map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    let code = posix_spawn(&command, plan.path, nil, &attributes, &arguments, &variables)
    guard code == 0 else { throw .system(code) }
  }

  private func received(_ message: LeakSocket.Message) -> UInt8 {
    let isWanted = message.process == command || plan.includesChildren
    switch message.kind {
    case .started:
      guard isWanted else { return 0 }
      if message.process == command { hasStarted = true }
      records[message.process] = message.record
      return LeakSocket.wanted
    case .ending:
      if isWanted { examine(message.process, record: message.record, .atExit, exitStatus: message.status) }
      records[message.process] = nil
      return 0
    }
  }

  private func received(signal: Int32) {
    switch signal {
    case plan.signal: for (process, record) in records.sorted(by: { $0.key < $1.key }) { examine(process, record: record, .onSignal) }
    // A terminal sends SIGINT and SIGQUIT to the command too, which decides whether to end. SIGCHLD only wakes the loop.
    case SIGINT, SIGQUIT, SIGCHLD: break
    default: kill(command, signal)
    }
  }

  private func examine(_ process: Int32, record: UInt64, _ moment: LeakReport.Moment, exitStatus: Int32? = nil) {
    do {
      let snapshot = try snapshot(process, record)
      handle(.examined(LeakExamination(snapshot), process: process, moment, exitStatus: exitStatus))
    } catch {
      handle(.failed(process: process, error))
    }
  }

  private func snapshot(_ process: Int32, _ record: UInt64) throws(MemorySnapshot.Failure) -> MemorySnapshot {
    for _ in 0..<LeakObservation.attempts {
      let stopped: StoppedProcess
      do { stopped = try StoppedProcess(process) } catch { throw .unreadable(error.code) }
      do {
        return try MemorySnapshot(stopped, record: record)
      } catch .reallocating {
        // The process was stopped during a realloc. It continues to run before the next attempt.
        stopped.resume()
        sched_yield()
      }
    }
    throw .reallocating
  }

  private func endingIfEnded() -> Ending? {
    var status: Int32 = 0
    let found = waitpid(command, &status, WNOHANG)
    // ECHILD: waitpid has already reported the command's end while its threads were being stopped, so its status is lost.
    if found < 0, errno == ECHILD { return .signal(SIGKILL) }
    guard found == command, status & 0xFF != 0x7F else { return nil }
    return status & 0x7F == 0 ? .exit((status >> 8) & 0xFF) : .signal(status & 0x7F)
  }
}
