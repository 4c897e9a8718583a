import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Where the shared stores of a process are. In child processes: a process settles it once.
@Suite(.timeLimit(.minutes(10))) struct ApplicationNameTests {
  static let variable = "APPLICATION_NAME_TEST_FOLDER"

  @Test func storesAreInTheFolderOfTheNameTheAppGives() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "application-name-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let environment = [
      ApplicationNameTests.variable: folder.path, "URL_LOADING_SYSTEM_HOME": "", "STATE_DIRECTORY": folder.appending(path: "state").path,
      "CACHE_DIRECTORY": folder.appending(path: "cache").path,
    ]
    let child = try ChildProcess(ofThisProgram: "childNamesItselfAndLoads", in: folder, environment: environment)
    #expect(await child.end() == .exit(0))
    #expect(FileManager.default.fileExists(atPath: folder.appending(path: "state/mail-reader/cookies.sqlite").path))
    let caches = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "cache/mail-reader").path)
    #expect(!caches.isEmpty)
  }

  @Test(.enabled(if: ProcessInfo.processInfo.environment[ApplicationNameTests.variable] != nil, "only in a child process"))
  func childNamesItselfAndLoads() async throws {
    URLSession.applicationName = "mail/reader"
    #expect(URLSession.applicationName == "mail-reader")
    try await TestServer.with(.http) { server async throws in
      let headers: HeaderList = ["Set-Cookie": "a=b; Max-Age=1000", "Cache-Control": "max-age=1000"]
      server.route("/", reply: Reply(headers: headers, body: .text("done")))
      _ = try await URLSession.shared.data(from: server.url("/"))
      await URLSession.shared.flush()
      URLCache.shared.storeCachedResponse(
        CachedURLResponse(
          response: URLResponse(url: server.url("/x"), mimeType: nil, expectedContentLength: 1, textEncodingName: nil), data: Data([1])),
        for: URLRequest(url: server.url("/x")))
      await URLSession.shared.reset()
    }
    URLSession.applicationName = "late"
    #expect(URLSession.applicationName == "mail-reader")
  }
}
