import ChildProcesses
import Foundation
import URLLoadingTestKit

/// The built tool, or another program of the package, as a child process.
struct Tool: Sendable {
  /// What a run left.
  struct Outcome: Sendable {
    /// The exit status, or the number of the signal that ended it.
    var status: Int32
    var output: Data
    var errors: String
    var text: String { String(decoding: output, as: UTF8.self) }
  }

  /// A run that hasn't ended.
  struct Running: Sendable {
    let process: ChildProcess
    /// What takes its standard error, unless that is a terminal.
    let errors: URL

    func send(_ signal: Int32) { process.send(signal) }
    func interrupt() { send(SIGINT) }
    func terminate() { send(SIGTERM) }
    func kill() { send(SIGKILL) }
  }

  enum Failure: Error { case notBuilt(String) }

  /// What of the tool is a terminal.
  enum TerminalUse: Sendable {
    case errors
    case everything
  }

  /// The product's name.
  var program = "urlload"
  /// Where the tool's relative paths begin; removed by `withDirectory`.
  var directory = FileManager.default.temporaryDirectory

  /// Runs `body` with an empty directory.
  static func withDirectory<Result>(_ body: (Tool, URL) async throws -> Result) async throws -> Result {
    let directory = FileManager.default.temporaryDirectory.appending(path: "urlload-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    return try await body(Tool(directory: directory), directory)
  }

  /// The product lies beside the test bundle.
  static func executable(_ program: String = "urlload") throws -> URL {
    let path = TestProgram.product(program)
    guard FileManager.default.isExecutableFile(atPath: path) else { throw Failure.notBuilt(path) }
    return URL(filePath: path)
  }

  /// Runs the tool to its end.
  /// - Parameters:
  ///   - input: What it reads from standard input.
  ///   - environment: Variables besides the inherited ones.
  ///   - terminal: What it has for a standard error, an xterm unless `environment` says otherwise; by default that is kept for the outcome.
  ///   - started: Called with the running process, for tests that send signals.
  func run(
    _ arguments: String..., input: Data = Data(), environment: [String: String] = [:], terminal: PseudoTerminal? = nil,
    started: @escaping @Sendable (Running) async throws -> Void = { _ in }
  ) async throws -> Outcome {
    try await run(list: arguments, input: input, environment: environment, terminal: terminal, started: started)
  }

  /// As `run`, with the arguments in an array.
  func run(
    list arguments: [String], input: Data = Data(), environment: [String: String] = [:], terminal: PseudoTerminal? = nil,
    terminalUse: TerminalUse = .errors, started: @escaping @Sendable (Running) async throws -> Void = { _ in }
  ) async throws -> Outcome {
    // Files, not pipes: nothing has to be read while the tool runs.
    let scratch = FileManager.default.temporaryDirectory.appending(path: "urlload-run-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: scratch) }
    let (inputFile, outputFile, errorFile) = (scratch.appending(path: "0"), scratch.appending(path: "1"), scratch.appending(path: "2"))
    for (file, content) in [(inputFile, input), (outputFile, Data()), (errorFile, Data())] { try content.write(to: file) }
    let ends: ChildProcess.StandardStream? = terminalUse == .everything ? terminal?.stream : nil
    // The tests may themselves run in a terminal that can't draw.
    let kind = terminal == nil ? [:] : ["TERM": "xterm"]
    let process = try ChildProcess(
      Tool.executable(program).path, arguments, in: directory, environment: kind.merging(environment) { $1 },
      input: ends ?? .file(inputFile), output: ends ?? .file(outputFile), errors: terminal?.stream ?? .file(errorFile))
    do {
      try await started(Running(process: process, errors: errorFile))
    } catch {
      process.kill()
      _ = await process.end()
      throw error
    }
    return try await Tool.outcome(process.end(), Data(contentsOf: outputFile), Data(contentsOf: errorFile))
  }

  /// Runs the tool with a standard output whose reading end is closed.
  func runIntoClosedPipe(_ arguments: String...) async throws -> Outcome {
    let (output, errorFile) = (Pipe(), FileManager.default.temporaryDirectory.appending(path: "urlload-run-\(UUID().uuidString)"))
    try Data().write(to: errorFile)
    defer { try? FileManager.default.removeItem(at: errorFile) }
    try output.fileHandleForReading.close()
    let process = try ChildProcess(
      Tool.executable(program).path, arguments, in: directory, output: .descriptor(output.fileHandleForWriting.fileDescriptor),
      errors: .file(errorFile))
    return try await Tool.outcome(process.end(), Data(), Data(contentsOf: errorFile))
  }

  private static func outcome(_ ending: ChildProcess.Ending, _ output: Data, _ errors: Data) -> Outcome {
    let status =
      switch ending {
      case .exit(let number), .signal(let number): number
      }
    return Outcome(status: status, output: output, errors: String(decoding: errors, as: UTF8.self))
  }
}

/// A server with the standard routes.
func withStandardServer<Result: Sendable>(_ body: (TestServer) async throws -> Result) async throws -> Result {
  var options = TestServer.Options.http
  options.routes = .standard
  return try await TestServer.with(options, body)
}
