#if TestKit
  import Foundation

  /// The command-line tool, which lies beside this program.
  enum DemoTool {
    /// Runs the tool to its end.
    /// - Returns: The status it ended with.
    static func run(_ arguments: [String]) async throws -> Int32 {
      let process = try process(arguments)
      let (ends, end) = AsyncStream.makeStream(of: Int32.self)
      process.terminationHandler = { process in
        end.yield(process.terminationStatus)
        end.finish()
      }
      try start(process)
      for await status in ends { return status }
      throw CancellationError()
    }

    /// What the tool writes to standard output. Blocks until it has ended.
    static func output(_ arguments: [String], _ environment: [String: String]) throws -> Data {
      let process = try process(arguments)
      let output = Pipe()
      (process.environment, process.standardOutput) = (environment, output)
      try start(process)
      defer { process.waitUntilExit() }
      return output.fileHandleForReading.readDataToEndOfFile()
    }

    private static func process(_ arguments: [String]) throws -> Process {
      let process = Process()
      process.executableURL = try BackgroundStage.program().deletingLastPathComponent()
        .appending(path: "urlload", directoryHint: .notDirectory)
      process.arguments = arguments
      return process
    }

    private static func start(_ process: Process) throws {
      do {
        try process.run()
      } catch {
        throw DemoFailure("urlload isn't beside this program: build it with 'swift build --product urlload'")
      }
    }
  }
#endif
