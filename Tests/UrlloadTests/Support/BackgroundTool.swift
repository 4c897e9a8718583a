import BackgroundTransfers
import ChildProcesses
import Foundation
import Testing
import URLLoadingTestKit

/// The built tool with a urlsessiond of its own.
struct BackgroundTool: Sendable {
  /// What `list --json`, `watch --json` and `add --json` write, as far as tests look at it.
  struct Listing: Decodable, Sendable {
    var id: Int64
    var phase: String
    var url: String?
    var kind: String?
    var reason: String?
    var received: Int64?
    var expectedToReceive: Int64?
    var next: Date?
    var created: Date?
    var destination: String?
    var description: String?
  }

  let tool: Tool
  let folder: URL
  let environment: [String: String]

  /// Runs `body` with an empty folder, which is the tool's current one; then ends the daemon.
  static func with<Result: Sendable>(_ body: (BackgroundTool, TestServer) async throws -> Result) async throws -> Result {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, folder in
        let daemon = try Tool.executable().deletingLastPathComponent().appending(path: "urlsessiond", directoryHint: .notDirectory)
        let background = BackgroundTool(
          tool: tool, folder: folder,
          environment: ["URL_LOADING_SYSTEM_HOME": folder.appending(path: "home").path, "URLSESSIOND_PATH": daemon.path])
        do {
          let result = try await body(background, server)
          try await background.endDaemon()
          return result
        } catch {
          try await background.endDaemon()
          throw error
        }
      }
    }
  }

  func run(
    _ arguments: String..., terminal: PseudoTerminal? = nil, started: @escaping @Sendable (Tool.Running) async throws -> Void = { _ in }
  ) async throws -> Tool.Outcome {
    try await tool.run(
      list: ["background"] + arguments, environment: environment, terminal: terminal, terminalUse: .everything, started: started)
  }

  /// The lines of JSON that a command writes.
  func listings(_ arguments: String..., status: Int32 = 0) async throws -> [Listing] {
    let outcome = try await tool.run(list: ["background"] + arguments + ["--json"], environment: environment)
    #expect(outcome.status == status, "\(arguments): \(outcome.errors)")
    return try BackgroundTool.listings(outcome.text)
  }

  static func listings(_ text: String) throws -> [Listing] {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try text.split(separator: "\n").map { try decoder.decode(Listing.self, from: Data($0.utf8)) }
  }

  /// Adds one transfer.
  func add(_ arguments: String...) async throws -> Listing {
    let outcome = try await tool.run(list: ["background", "add", "--json"] + arguments, environment: environment)
    #expect(outcome.status == 0, "\(outcome.errors)")
    return try #require(try BackgroundTool.listings(outcome.text).first)
  }

  func places() throws -> BackgroundPlaces {
    try BackgroundPlaces(environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }, home: folder)
  }

  /// The daemon's process; nil if there has been none.
  func daemon() async throws -> pid_t? {
    struct Status: Decodable { var process: pid_t? }
    let outcome = try await run("status", "--json")
    try #require(outcome.status == 0, "\(outcome.errors)")
    return try JSONDecoder().decode(Status.self, from: outcome.output).process
  }

  func file(_ name: String) throws -> Data { try Data(contentsOf: folder.appending(path: name, directoryHint: .notDirectory)) }

  private func endDaemon() async throws {
    guard let daemon = try await daemon() else { return }
    kill(daemon, SIGTERM)
    try await awaitRelease()
  }

  /// The daemon's lock is released when it has ended.
  func awaitRelease() async throws {
    await LockRelease.wait(for: try places().lock.path(percentEncoded: false))
  }
}
