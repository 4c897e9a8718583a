import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// How often a small load allocates memory: counted in a copy of this process, in which all calls of malloc and its like are.
@Suite(.timeLimit(.minutes(20))) struct AllocationTests {
  private static let variables = ProcessInfo.processInfo.environment
  /// What the copy loads; nil in the process that runs the tests.
  private static let address = variables["ALLOCATIONS_ADDRESS"].flatMap { URL(string: $0) }

  /// Loads at once, and the allocations that one may make in a build for debugging, where many calls aren't inlined: what was counted, 492
  /// and 485, and little more, so that few objects more for each load are noticed. One load at a time makes up to 497, by the order of threads.
  enum Limit: CaseIterable {
    case h1c1, h1c64

    var loadsAtOnce: Int { self == .h1c1 ? 1 : 64 }
    var allocations: Double { self == .h1c1 ? 500 : 487 }
  }

  @Test(.enabled(if: address == nil && !Sanitizer.isActive), arguments: Limit.allCases) func loadsAllocateNoMoreThanTheyDid(
    _ limit: Limit
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "allocations-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let library = folder.appending(path: "count.so", directoryHint: .notDirectory).path(percentEncoded: false)
    let source = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../../Benchmarks/process-costs/count-allocations.c")
    let compiler = try ChildProcess(
      "cc", ["-O2", "-shared", "-fPIC", "-o", library, source.standardizedFileURL.path(percentEncoded: false)], in: folder)
    try #require(await compiler.end() == .exit(0), "cc is part of Swift's toolchain as clang, and of every build of this package")
    let report = folder.appending(path: "report", directoryHint: .notDirectory)
    try await Wire.plain.serve { server, _ async throws in
      server.route("/", reply: Reply(200, body: .repeating(7, count: 1024)))
      let child = try ChildProcess(
        ofThisProgram: "copyCounts", in: folder,
        environment: [
          "LD_PRELOAD": library, "ALLOCATIONS_ADDRESS": server.url().absoluteString, "ALLOCATIONS_AT_ONCE": "\(limit.loadsAtOnce)",
          "ALLOCATIONS_REPORT": report.path(percentEncoded: false), "URL_LOADING_UNPASSED": "0",
        ])
      #expect(await child.end() == .exit(0))
    }
    let count = try #require(Double(try String(contentsOf: report, encoding: .utf8)))
    #expect(count <= limit.allocations)
  }

  @Test(.enabled(if: address != nil, "only in a copy of the process")) func copyCounts() async throws {
    let (address, atOnce) = (try #require(Self.address), try #require(Int(Self.variables["ALLOCATIONS_AT_ONCE"] ?? "")))
    let symbol = try #require(dlsym(nil, "counted_allocations"))
    let count = unsafeBitCast(symbol, to: (@convention(c) () -> UInt).self)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpMaximumConnectionsPerHost = atOnce
    let session = URLSession(configuration: configuration)
    /// Allocations of each load.
    func load(_ loads: Int) async throws -> Double {
      let before = count()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<atOnce {
          group.addTask { for _ in 0..<loads / atOnce { _ = try await session.data(from: address) } }
        }
        try await group.waitForAll()
      }
      return Double(count() - before) / Double(loads / atOnce * atOnce)
    }
    _ = try await load(640)
    var least = Double.infinity
    for _ in 0..<3 { least = min(least, try await load(1280)) }
    let report = try #require(Self.variables["ALLOCATIONS_REPORT"])
    try "\(least)".write(toFile: report, atomically: true, encoding: .utf8)
  }
}
