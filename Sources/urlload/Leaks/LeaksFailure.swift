import Foundation
import ProcessMemory

/// Why a command can't be examined: the message, and the exit code.
struct LeaksFailure: Error, Equatable {
  /// The exit code for a command that can't be run, as in shells.
  static let notExecutable: Int32 = 126
  /// The exit code for a command that ran, but whose memory couldn't be read.
  static let unreadable: Int32 = 2

  let status: Int32
  let message: String

  init(_ status: Int32, _ message: String) {
    self.status = status
    self.message = message
  }

  func tell() { Console(tellsErrors: true).line("urlload: \(Printable.text(message))") }

  /// Runs `body`; if it throws, writes the failure's message.
  /// - Returns: The exit code: the result of `body`, or the failure's.
  static func tellingFailures(_ body: () throws -> Int32) -> Int32 {
    do {
      return try body()
    } catch let failure as LeaksFailure {
      failure.tell()
      return failure.status
    } catch let failure as ToolFailure {
      Console(tellsErrors: true).tell(failure)
      return failure.status.rawValue
    } catch {
      Console(tellsErrors: true).tell(ToolFailure(error))
      return ExitStatus.other.rawValue
    }
  }

  private init(_ failure: CommandFailure) { self.init(failure.shellStatus, failure.text) }

  init(_ failure: RecordedProgram.Failure, command: String) {
    switch failure {
    case .notFound: self.init(CommandFailure.notFound(command))
    case .notExecutable: self.init(CommandFailure.notExecutable(command))
    case .isStatic:
      self.init(
        LeaksFailure.notExecutable,
        "\(command) is linked statically with the C library, so that its blocks can't be recorded; link it without -static-executable")
    case .changesIdentity:
      self.init(
        LeaksFailure.notExecutable,
        "\(command) runs as another user or group (set-user-ID), which the system protects from being examined; run a copy without that")
    case .isForeign: self.init(LeaksFailure.notExecutable, "\(command) is a program for another processor")
    }
  }

  init(_ failure: LeakObservation.Failure, command: String) {
    switch failure {
    case .system(let code): self.init(LeaksFailure.notExecutable, "\(command) can't be started (\(SystemMessage.text(code)))")
    case .notLoaded:
      self.init(
        LeaksFailure.unreadable,
        "\(command) has run without the library that records blocks; the reason is above, or the program drops LD_PRELOAD")
    }
  }

  init(_ failure: MemorySnapshot.Failure, process: Int32) {
    let text =
      switch failure {
      case .unreadable(EPERM), .unreadable(EACCES):
        "may not be read; run urlload as the process's user, and permit ptrace (in a container: the capability SYS_PTRACE)"
      case .unreadable(let code): "can't be read (\(SystemMessage.text(code)))"
      case .noRecord: "has no record of its blocks; use a urlload and a liburlload-leaks.so of the same version"
      case .reallocating: "can't be read: the process never stops to enlarge blocks"
      }
    self.init(LeaksFailure.unreadable, "the memory of process \(process) \(text)")
  }

  static func libraryMissing(_ path: String) -> LeaksFailure {
    LeaksFailure(
      notExecutable,
      "the library \(path) is missing; build it with 'swift build --product urlload-leaks', put it beside urlload or name it in "
        + "\(LeaksLibrary.variable)")
  }
}
