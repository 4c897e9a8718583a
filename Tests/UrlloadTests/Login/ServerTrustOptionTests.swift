import Foundation
import Testing
import URLLoadingTestKit

/// Which servers the tool trusts, and how it authenticates itself.
@Suite(.timeLimit(.minutes(10))) struct ServerTrustOptionTests {
  private let authority: TestCertificateAuthority

  init() throws { authority = try TestCertificateAuthority() }

  private func withServer(
    _ options: TestServer.Options, _ body: (Tool, URL, TestServer, String) async throws -> Void
  ) async throws {
    try await Tool.withDirectory { tool, directory async throws in
      try authority.pem.write(to: directory.appending(path: "ca.pem"))
      try await TestServer.with(options) { server async throws in
        server.route("/", reply: .text("hello"))
        try await body(tool, directory, server, server.url("/").absoluteString)
      }
    }
  }

  @Test func namedAuthoritiesReplaceTheSystems() async throws {
    try await withServer(.https(authority.issue())) { tool, directory, server, url in
      #expect(try await tool.run(url).status == 60)
      let trusted = try await tool.run("--cacert", "ca.pem", url)
      #expect(trusted.text == "hello", "\(trusted.errors)")
      try TestCertificateAuthority(name: "Other").pem.write(to: directory.appending(path: "other.pem"))
      #expect(try await tool.run("--cacert", "other.pem", url).status == 60)
      #expect(server.requestCount == 1)
    }
  }

  @Test func authoritiesThatCannotBeReadAreAFailure() async throws {
    try await Tool.withDirectory { tool, directory async throws in
      try Data("no certificate".utf8).write(to: directory.appending(path: "text"))
      for file in ["text", "missing.pem"] {
        let outcome = try await tool.run("--cacert", file, "https://127.0.0.1:1/")
        #expect(outcome.status == 77)
        #expect(outcome.errors.contains(file))
      }
    }
  }

  @Test func insecureAcceptsAnyCertificate() async throws {
    try await withServer(.https(TestCertificate.selfSigned(hosts: ["wrong.example"]))) { tool, _, server, url async throws in
      #expect(try await tool.run(url).status == 60)
      #expect(try await tool.run("-k", url).text == "hello")
      #expect(try await tool.run("-sk", url).text == "hello")
      #expect(server.requestCount == 2)
    }
  }

  @Test func insecureLoadsShareAConnection() async throws {
    try await withServer(.https(TestCertificate.selfSigned(hosts: ["wrong.example"]))) { tool, _, server, url async throws in
      #expect(try await tool.run("-k", url, url, url).text == "hellohellohello")
      #expect(server.requestCount == 3 && server.acceptedConnections == 1)
    }
  }

  @Test func clientSaysWhoItIs() async throws {
    var options = TestServer.Options.https(try authority.issue())
    options.clientCertificates = .required(authority)
    let client = try authority.makeIntermediate().issueClient()
    try await withServer(options) { tool, directory, server, url in
      try client.chainPEM.write(to: directory.appending(path: "me.pem"))
      try client.privateKeyPEM.write(to: directory.appending(path: "key.pem"))
      try (client.chainPEM + client.privateKeyPEM).write(to: directory.appending(path: "both.pem"))
      try client.pkcs12(passphrase: "open:sesame").write(to: directory.appending(path: "me.p12"))
      for arguments in [["--cert", "me.pem", "--key", "key.pem"], ["-E", "both.pem"], ["--cert", "me.p12:open:sesame"]] {
        let outcome = try await tool.run(list: ["-v", "--cacert", "ca.pem"] + arguments + [url])
        #expect(outcome.text == "hello", "\(arguments): \(outcome.errors)")
        #expect(server.requests.last?.connection.clientCertificate == client.der)
        #expect(!outcome.errors.contains("sesame"))
      }
      let without = try await tool.run("--cacert", "ca.pem", url)
      #expect(without.status == 35)
      #expect(without.errors.contains("--cert"), "\(without.errors)")
      #expect(server.requestCount == 3)
    }
  }

  @Test func identityThatCannotBeReadIsAFailureThatHidesThePassword() async throws {
    let client = try authority.issueClient()
    try await Tool.withDirectory { tool, directory async throws in
      try client.pkcs12(passphrase: "right").write(to: directory.appending(path: "me.p12"))
      try client.pem.write(to: directory.appending(path: "alone.pem"))
      for argument in ["me.p12:wr0ng", "me.p12", "alone.pem", "missing.p12:wr0ng"] {
        let outcome = try await tool.run("-v", "--cert", argument, "https://127.0.0.1:1/")
        #expect(outcome.status == 58, "\(argument)")
        #expect(outcome.errors.hasPrefix("urlload: "))
        #expect(!outcome.errors.contains("wr0ng"))
      }
    }
  }
}
