import Foundation
import Testing
import URLLoadingTestKit

@testable import urlload

/// A file that replaces another one keeps its permissions and its owner.
@Suite(.timeLimit(.minutes(10))) struct ReplacedFileTests {
  private func status(_ file: URL) -> stat {
    var status = stat()
    #expect(stat(file.path, &status) == 0)
    return status
  }

  @Test(arguments: [["--segments", "2"], ["-C", "-"]]) func replacingPartKeepsPermissions(options: [String]) async throws {
    try await withStandardServer { server async throws in
      try await Tool.withDirectory { tool, directory async throws in
        let file = directory.appending(path: "out")
        try Data("old".utf8).write(to: file)
        try Data().write(to: directory.appending(path: "out.part"))
        chmod(file.path, 0o600)
        let outcome = try await tool.run(list: options + ["-o", "out", server.url("/range/300000").absoluteString])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try Data(contentsOf: file) == ResumeTests.pattern(300_000))
        #expect(status(file).st_mode & 0o777 == 0o600)
      }
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only the superuser may give files away"), arguments: [[], ["--segments", "2"]])
  func replacedFileKeepsItsOwner(options: [String]) async throws {
    try await withStandardServer { server async throws in
      try await Tool.withDirectory { tool, directory async throws in
        let file = directory.appending(path: "out")
        try Data("old".utf8).write(to: file)
        chmod(file.path, 0o640)
        #expect(chown(file.path, 4321, 4322) == 0)
        let outcome = try await tool.run(list: options + ["-o", "out", server.url("/range/300000").absoluteString])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let after = status(file)
        #expect((after.st_uid, after.st_gid) == (4321, 4322))
        #expect(after.st_mode & 0o777 == 0o640)
      }
    }
  }

  @Test(.enabled(if: geteuid() != 0, "the superuser may give files away"), arguments: [(0o664, 0o644), (0o640, 0o600), (0o604, 0o600)])
  func otherGroupGetsNoMoreThanBothHad(had: mode_t, gets: mode_t) async throws {
    try await Tool.withDirectory { _, directory in
      let file = directory.appending(path: "out")
      let descriptor = open(file.path, O_RDWR | O_CREAT, 0o600)
      defer { close(descriptor) }
      var old = status(file)
      (old.st_uid, old.st_gid, old.st_mode) = (0, 0, old.st_mode & ~0o777 | had)
      FileTarget.adopt(old, descriptor)
      #expect(status(file).st_mode & 0o777 == gets)
    }
  }

  @Test func recordThatCanNotBeWrittenLeavesNothing() async throws {
    try await Tool.withDirectory { _, directory in
      let path = directory.appending(path: "out.part.json").path
      // A folder of the name can't be replaced by a file.
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      #expect(throws: ToolFailure.self) { try Sidecar.save(["a"], path) }
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["out.part.json"])
    }
  }
}
