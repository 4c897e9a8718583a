import ChildProcesses
import Foundation
import Testing
import URLLoadingTestKit

/// Standard streams that are closed from the beginning, as by `2>&-`.
@Suite(.timeLimit(.minutes(10))) struct ClosedStreamTests {
  /// Runs the tool by a shell that closes one of its streams.
  private func run(_ closing: String, _ arguments: [String], in directory: URL) async throws -> ChildProcess.Ending {
    let program = try Tool.executable().path
    let process = try ChildProcess("/bin/sh", ["-c", "exec \"$0\" \"$@\" \(closing)", program] + arguments, in: directory)
    return await process.end()
  }

  @Test func messagesDoNotReachAnotherFile() async throws {
    try await withStandardServer { server async throws in
      try await Tool.withDirectory { _, directory async throws in
        let ending = try await run("2>&-", ["-v", "-D", "heads", "-o", "out", server.url("/bytes/5").absoluteString], in: directory)
        #expect(ending == .exit(0))
        let heads = String(decoding: try Data(contentsOf: directory.appending(path: "heads")), as: UTF8.self)
        #expect(heads.hasPrefix("HTTP/1.1 200") && heads.hasSuffix("\r\n\r\n") && !heads.contains("* "))
        #expect(try Data(contentsOf: directory.appending(path: "out")) == Data("abcde".utf8))
      }
    }
  }

  @Test func bodyForAClosedOutputIsAnErrorAndReachesNoOtherFile() async throws {
    try await withStandardServer { server async throws in
      try await Tool.withDirectory { _, directory async throws in
        #expect(try await run(">&-", ["-D", "heads", server.url("/bytes/5").absoluteString], in: directory) == .exit(23))
        let heads = String(decoding: try Data(contentsOf: directory.appending(path: "heads")), as: UTF8.self)
        #expect(heads.hasPrefix("HTTP/1.1 200") && !heads.contains("abcde"))
      }
    }
  }
}
