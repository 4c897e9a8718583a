import Foundation
import Testing
import URLLoadingTestKit

/// The library's environment variables, seen through the tool.
@Suite(.timeLimit(.minutes(10))) struct EnvironmentTests {
  @Test func diagnosticsTellOfEachEventWithoutSecrets() async throws {
    try await Tool.withDirectory { tool, _ async throws in
      try await TestServer.with(.http) { server async throws in
        server.enqueue(.redirect(to: "/to?token=hidden"), .text("done"))
        let url = server.url("/from?token=hidden#hidden").absoluteString.replacing("http://", with: "http://me:hidden@")
        let outcome = try await tool.run(
          "-L", "-H", "X-Token: hidden", "-b", "name=hidden", url, environment: ["URL_LOADING_SYSTEM_LOG": "debug"])
        #expect(outcome.text == "done")
        let lines = outcome.errors.split(separator: "\n").filter { $0.contains("URLLoadingSystem[") }
        let messages = ["task begins", "transaction ended", "redirected", "response", "transaction ended", "task completed"]
        try #require(lines.count == messages.count, "\(outcome.errors)")
        for (line, message) in zip(lines, messages) { #expect(line.contains(": \(message) ")) }
        #expect(!outcome.errors.contains("hidden"))
        #expect(lines[0].contains("url.full=http://127.0.0.1:\(server.port)/from?REDACTED"))
        #expect(lines[1].contains("url_session.connection=opened"))
        #expect(lines[4].contains("url_session.connection=reused"))
      }
    }
  }

  @Test func diagnosticsAreOffByDefaultAndHaveLevels() async throws {
    try await Tool.withDirectory { tool, _ async throws in
      try await TestServer.with(.http) { server async throws in
        server.route("/", reply: .text("done"))
        for level in [nil, "", "0", "off", "info"] {
          let environment = level.map { ["URL_LOADING_SYSTEM_LOG": $0] } ?? [:]
          let outcome = try await tool.run(server.url("/").absoluteString, environment: environment)
          #expect(!outcome.errors.contains("URLLoadingSystem["), "\(outcome.errors)")
        }
      }
      let failed = try await tool.run("http://127.0.0.1:1/", environment: ["URL_LOADING_SYSTEM_LOG": "notice"])
      #expect(failed.errors.contains("notice: task failed "), "\(failed.errors)")
    }
  }

  private static let wires: [[String]] = {
    #if HTTP3
      [["--http1.1"], ["--http2"], ["--http3-only"]]
    #else
      [["--http1.1"], ["--http2"]]
    #endif
  }()

  @Test(arguments: wires) func secretsOfTLSAreLoggedWhereTheFileIsNamed(_ version: [String]) async throws {
    let authority = try TestCertificateAuthority()
    let options: TestServer.Options = version == ["--http3-only"] ? .http3(try authority.issue()) : .http2(try authority.issue())
    try await Tool.withDirectory { tool, directory async throws in
      try authority.pem.write(to: directory.appending(path: "ca.pem"))
      try await TestServer.with(options) { server async throws in
        server.route("/", reply: .text("done"))
        let file = directory.appending(path: "keys")
        for count in 1...2 {
          let outcome = try await tool.run(
            list: version + ["--cacert", "ca.pem", server.url("/").absoluteString], environment: ["SSLKEYLOGFILE": file.path])
          #expect(outcome.text == "done", "\(outcome.errors)")
          let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
          let pattern = #/CLIENT_TRAFFIC_SECRET_0 [0-9a-f]{64} ([0-9a-f]{64}|[0-9a-f]{96})/#
          #expect(lines.count { $0.wholeMatch(of: pattern) != nil } == count, "\(lines)")
          #expect(lines.count { $0.hasPrefix("SERVER_HANDSHAKE_TRAFFIC_SECRET ") } == count)
        }
        let permissions = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(permissions == 0o600)
      }
    }
  }

  @Test func foldersOfAuthoritiesTakeThePlaceOfTheSystems() async throws {
    let (authority, other) = (try TestCertificateAuthority(), try TestCertificateAuthority(name: "Other"))
    try await Tool.withDirectory { tool, directory async throws in
      let (first, second) = (directory.appending(path: "first"), directory.appending(path: "second"))
      for folder in [first, second] { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
      try Data("no certificate".utf8).write(to: first.appending(path: "README"))
      try other.pem.write(to: first.appending(path: "other.crt"))
      // As c_rehash leaves it: a link by the hash of the subject.
      try authority.pem.write(to: second.appending(path: "own.pem"))
      try FileManager.default.createSymbolicLink(
        atPath: second.appending(path: "0a1b2c3d.0").path, withDestinationPath: "own.pem")
      try await TestServer.with(.https(authority.issue())) { server async throws in
        server.route("/", reply: .text("done"))
        let url = server.url("/").absoluteString
        func run(_ folders: String) async throws -> Tool.Outcome {
          try await tool.run(url, environment: ["SSL_CERT_DIR": folders, "SSL_CERT_FILE": ""])
        }
        let both = try await run("\(first.path):\(second.path)")
        #expect(both.text == "done", "\(both.errors)")
        #expect(try await run(first.path).status == 60)
        let none = try await run(directory.path)
        #expect(none.status != 0)
        #expect(none.errors.contains("SSL_CERT_DIR"), "\(none.errors)")
      }
    }
  }
}
