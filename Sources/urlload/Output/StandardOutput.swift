import ArgumentParser
import Foundation

/// Writes lines to standard output, for commands that list something.
enum StandardOutput {
  static func line(_ text: String) { _ = Descriptor.writeAll(Data((text + "\n").utf8), to: STDOUT_FILENO) }
}

/// Writes lines to standard error that are meant for scripts.
enum StandardError {
  static func line(_ text: String) { _ = Descriptor.writeAll(Data((text + "\n").utf8), to: STDERR_FILENO) }
}

/// Runs `body`; if it throws a `ToolFailure`, reports it on standard error, and exits with its code.
func tellingFailures(_ body: () throws -> Void) throws {
  do {
    try body()
  } catch let failure as ToolFailure {
    Console(tellsErrors: true).tell(failure)
    throw ExitCode(failure.status.rawValue)
  }
}

/// Runs `body`, which may suspend; if it throws a `ToolFailure`, reports it on standard error, and exits with its code.
func tellingFailures(_ body: () async throws -> Void) async throws {
  do {
    try await body()
  } catch let failure as ToolFailure {
    Console(tellsErrors: true).tell(failure)
    throw ExitCode(failure.status.rawValue)
  }
}
