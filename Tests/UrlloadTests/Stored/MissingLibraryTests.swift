import Foundation
import Testing
import URLLoadingTestKit

/// The tool on a system that has no SQLite: a file that is no library comes before the system's.
@Suite(.timeLimit(.minutes(10))) struct MissingLibraryTests {
  private static func withoutSQLite(_ folder: URL) throws -> [String: String] {
    try Data("no library".utf8).write(to: folder.appending(path: "libsqlite3.so.0"))
    let inherited = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"].map { ":" + $0 } ?? ""
    return [
      "LD_LIBRARY_PATH": folder.path(percentEncoded: false) + inherited,
      "URL_LOADING_SYSTEM_HOME": folder.appending(path: "home").path(percentEncoded: false),
    ]
  }

  @Test func withoutSQLiteLoadsWorkAndOneLineSaysWhatToInstall() async throws {
    let server = try await TestServer.start()
    server.route("/set", reply: Reply(headers: ["Set-Cookie": "a=1; Max-Age=1000", "Cache-Control": "max-age=60"], body: .text("kept")))
    try await Tool.withDirectory { tool, folder in
      let environment = try MissingLibraryTests.withoutSQLite(folder)
      let url = server.url("/set").absoluteString
      let outcome = try await tool.run("--keep-cookies", "--cache", url, url, environment: environment)
      #expect(outcome.status == 0 && outcome.text == "keptkept")
      let lines = outcome.errors.split(separator: "\n").filter { $0.contains("libsqlite3-0") }
      #expect(lines.count == 1 && outcome.errors.contains("kept in memory"))
      let stored = try? FileManager.default.subpathsOfDirectory(atPath: folder.appending(path: "home").path(percentEncoded: false))
      #expect(stored?.contains { $0.hasSuffix("sqlite") || $0.hasSuffix(".db") } != true)
    }
    await server.shutdown()
  }
}
