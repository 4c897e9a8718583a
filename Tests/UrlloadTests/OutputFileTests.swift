import Foundation
import Testing
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct OutputFileTests {
  private func names(in directory: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
  }

  @Test func fileAppearsOnceItIsComplete() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        let gate = Gate()
        server.enqueue(Reply(body: .text("whole"), faults: [.stallAfter(bodyBytes: 2, gate: gate)]))
        let outcome = try await tool.run("-o", "out", server.url("/").absoluteString) { _ in
          try await gate.reached()
          #expect(!FileManager.default.fileExists(atPath: directory.appending(path: "out").path))
          gate.open()
        }
        #expect(outcome.status == 0)
        #expect(outcome.output.isEmpty)
        #expect(try names(in: directory) == ["out"])
        #expect(try Data(contentsOf: directory.appending(path: "out")) == Data("whole".utf8))
      }
    }
  }

  @Test func failureLeavesTheOldFileAndNoOther() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        let file = directory.appending(path: "out")
        try Data("old".utf8).write(to: file)
        server.enqueue(Reply(body: .pattern(count: 1000), faults: [.disconnectAfterBodyBytes(10)]))
        let outcome = try await tool.run("-o", "out", server.url("/").absoluteString)
        #expect(outcome.status == 18)
        #expect(outcome.errors.hasPrefix("urlload: "))
        #expect(try names(in: directory) == ["out"])
        #expect(try Data(contentsOf: file) == Data("old".utf8))
      }
    }
  }

  @Test func replacedFileKeepsPermissionsAndLinks() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        let file = directory.appending(path: "real")
        try Data("old".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
        try FileManager.default.createSymbolicLink(at: directory.appending(path: "link"), withDestinationURL: file)
        let outcome = try await tool.run("-o", "link", server.url("/bytes/3").absoluteString)
        #expect(outcome.status == 0)
        #expect(try Data(contentsOf: file) == Data("abc".utf8))
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o640)
        #expect(try names(in: directory) == ["link", "real"])
      }
    }
  }

  @Test func remoteNameComesFromTheURLOrTheServer() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        server.route("/named", reply: Reply(headers: ["Content-Disposition": "attachment; filename=\"../report.txt\""], body: .text("r")))
        let outcome = try await tool.run("-O", server.url("/bytes/3").absoluteString, server.url("/named").absoluteString)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let names = try names(in: directory)
        #expect(names.count == 2)
        #expect(names.contains { $0.hasSuffix("report.txt") })
        // The server may not choose what is replaced.
        let again = try await tool.run("-O", server.url("/named").absoluteString)
        #expect(again.status == 23)
        #expect(again.errors.contains("there is such a file"))
      }
    }
  }

  @Test func fullDiskIsAnError() async throws {
    try await withStandardServer { server in
      let outcome = try await Tool().run("-o", "/dev/full", server.url("/bytes/100000").absoluteString)
      #expect(outcome.status == 23)
      #expect(outcome.errors.contains("No space left on device"))
    }
  }

  @Test(arguments: ["/nowhere/at/all", "/"]) func unwritableFileFailsBeforeAnythingIsAsked(path: String) async throws {
    try await withStandardServer { server in
      let outcome = try await Tool().run("-o", path, server.url("/").absoluteString)
      #expect(outcome.status == 23)
      #expect(outcome.errors.hasPrefix("urlload: \(path) can't be written"))
      #expect(server.requestCount == 0)
    }
  }

  @Test func closedPipeEndsQuietly() async throws {
    try await withStandardServer { server in
      let outcome = try await Tool().runIntoClosedPipe(server.url("/bytes/10000000").absoluteString)
      #expect(outcome.status == 23)
      #expect(outcome.errors.isEmpty)
    }
  }
}
