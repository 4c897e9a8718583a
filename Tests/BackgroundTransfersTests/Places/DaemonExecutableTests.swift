import Foundation
import Testing

@testable import BackgroundTransfers

@Suite(.timeLimit(.minutes(10))) struct DaemonExecutableTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func variableNamesItAndNothingElseIsTaken() throws {
    let program = try make("elsewhere/daemon", mode: 0o700)
    #expect(DaemonStarter.executable(environment: ["URLSESSIOND_PATH": program]) == URL(filePath: program))
    let data = try make("elsewhere/data", mode: 0o600)
    _ = try make("bin/urlsessiond", mode: 0o700)
    for path in [folder.path("elsewhere"), folder.path("absent"), ""] + (geteuid() == 0 ? [] : [data]) {
      #expect(DaemonStarter.executable(environment: ["URLSESSIOND_PATH": path, "PATH": folder.path("bin")]) == nil)
    }
  }

  @Test func isFoundBesideTheProgramOrInPath() throws {
    _ = try make("bin/urlsessiond", mode: 0o700)
    let found = DaemonStarter.executable(environment: ["PATH": "relative::\(folder.path("absent")):\(folder.path("bin"))"])
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let beside = URL(filePath: own).deletingLastPathComponent().appending(path: "urlsessiond", directoryHint: .notDirectory)
    // The package's build folder has it where the product was built.
    let isBuilt = FileManager.default.isExecutableFile(atPath: beside.path())
    #expect(found == (isBuilt ? beside : URL(filePath: folder.path("bin/urlsessiond"))))
  }

  @Test func absentExecutableIsAnErrorWithAdvice() throws {
    let places = try BackgroundPlaces(environment: ["URL_LOADING_SYSTEM_HOME": folder.path("h")], home: folder.url)
    let starter = DaemonStarter(places: places, environment: ["URLSESSIOND_PATH": "/absent/urlsessiond"])
    #expect {
      try starter.connect(patience: 1)
    } throws: { error in
      guard let refusal = error as? Refusal else { return false }
      return refusal.reason == .storage && refusal.text.contains("URLSESSIOND_PATH") && refusal.text.contains("/absent/urlsessiond")
    }
  }

  private func make(_ name: String, mode: mode_t) throws -> String {
    let path = folder.path(name)
    _ = try folder.folder(URL(filePath: "/" + name).deletingLastPathComponent().path())
    try Data("#!/bin/sh\n".utf8).write(to: URL(filePath: path))
    try #require(chmod(path, mode) == 0)
    return path
  }
}
