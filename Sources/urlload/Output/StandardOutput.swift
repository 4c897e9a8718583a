import ArgumentParser
import Foundation

/// Standard output as lines, for the commands that list things.
enum StandardOutput {
  static func line(_ text: String) { _ = Descriptor.writeAll(Data((text + "\n").utf8), to: STDOUT_FILENO) }
}

/// Standard error as lines, for what scripts read from it.
enum StandardError {
  static func line(_ text: String) { _ = Descriptor.writeAll(Data((text + "\n").utf8), to: STDERR_FILENO) }
}

/// Runs `body`; tells a failure of the tool on standard error and ends with its status.
func tellingFailures(_ body: () throws -> Void) throws {
  do {
    try body()
  } catch let failure as ToolFailure {
    Console(tellsErrors: true).tell(failure)
    throw ExitCode(failure.status.rawValue)
  }
}

/// As `tellingFailures`, for what waits.
func tellingFailures(_ body: () async throws -> Void) async throws {
  do {
    try await body()
  } catch let failure as ToolFailure {
    Console(tellsErrors: true).tell(failure)
    throw ExitCode(failure.status.rawValue)
  }
}
