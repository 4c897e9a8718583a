import ChildProcesses
import Foundation
import Testing
import URLLoadingTestKit

/// `-v` tells each step when it takes place: a server that stops shows how far a load has come.
@Suite(.timeLimit(.minutes(10))) struct NarrationTests {
  /// Runs the tool at a terminal until it has shown `text`, then ends it.
  private func shown(_ text: String, _ arguments: String...) async throws -> String {
    let terminal = try PseudoTerminal(columns: 200)
    _ = try await Tool().run(list: ["-v", "-s"] + arguments, terminal: terminal) { process in
      _ = await terminal.drawing { $0.contains(text) }
      process.terminate()
    }
    return terminal.text
  }

  /// A socket that accepts and says nothing.
  private func withSilentServer<Result>(_ body: (Int) async throws -> Result) async throws -> Result {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isReady = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, 4) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    try #require(isReady)
    return try await body(Int(UInt16(bigEndian: address.sin_port)))
  }

  @Test func serverThatStopsInTheHandshakeIsSeen() async throws {
    try await withSilentServer { port in
      let text = try await shown("TLS handshake", "--resolve", "a.test:\(port):127.0.0.1", "https://a.test:\(port)/")
      for line in [
        "* looking up a.test", "* a.test is at 127.0.0.1", "* connected to 127.0.0.1 port \(port)", "* TLS handshake with a.test",
      ] {
        #expect(text.contains(line), "\(line): \(text)")
      }
      #expect(!text.contains("> GET"))
    }
  }

  @Test func serverThatDoesNotAnswerIsSeen() async throws {
    try await withSilentServer { port in
      let text = try await shown("> Accept", "http://127.0.0.1:\(port)/x?y")
      #expect(text.contains("> GET /x?y HTTP/1.1") && text.contains("> Host: 127.0.0.1:\(port)"))
    }
  }

  @Test func handshakeIsToldWithItsCertificate() async throws {
    let authority = try TestCertificateAuthority()
    try await Tool.withDirectory { tool, directory async throws in
      try authority.pem.write(to: directory.appending(path: "ca.pem"))
      try await TestServer.with(.http2(authority.issue())) { server async throws in
        server.route("/", reply: .text("hello"))
        let outcome = try await tool.run("-v", "--cacert", "ca.pem", server.url("/").absoluteString)
        for text in ["* TLS 1.3, ", "ALPN h2", "*   certificate: ", "the server's certificate is trusted", "> GET / HTTP/2\n", "> host: "] {
          #expect(outcome.errors.contains(text), "\(text): \(outcome.errors)")
        }
        let refused = try await tool.run("-v", server.url("/").absoluteString)
        #expect(refused.status == 60)
        #expect(refused.errors.contains("* TLS failed: ") && refused.errors.contains("*   certificate: "), "\(refused.errors)")
        let accepted = try await tool.run("-v", "-k", server.url("/").absoluteString)
        #expect(accepted.errors.contains("(-k)"), "\(accepted.errors)")
        let other = try await tool.run(
          "--cacert", "ca.pem", "--pinnedpubkey", "sha256//" + Data(count: 32).base64EncodedString(), server.url("/").absoluteString)
        #expect(other.status == 90, "\(other.errors)")
      }
    }
  }

  @Test func redirectsAndReuseAreTold() async throws {
    try await withStandardServer { server in
      let outcome = try await Tool().run("-v", server.url("/relative-redirect/1").absoluteString)
      #expect(outcome.errors.contains("* redirected: GET \(server.url("/get").absoluteString)\n"), "\(outcome.errors)")
      #expect(outcome.errors.contains("is used again\n"))
      #expect(outcome.errors.contains("> GET /get HTTP/1.1\n"))
    }
  }

  @Test func secretsAreShownOnlyWhereThatIsWanted() async throws {
    try await withStandardServer { server in
      let url = server.url("/get").absoluteString
      let options = ["-v", "-H", "Authorization: Bearer t0ken", "-H", "X-Api-Key: k3y"]
      let masked = try await Tool().run(list: options + [url])
      #expect(!masked.errors.contains("t0ken") && !masked.errors.contains("k3y"))
      let shown = try await Tool().run(list: options + ["--show-secrets", url])
      #expect(shown.errors.contains("> Authorization: Bearer t0ken\n") && shown.errors.contains("> X-Api-Key: k3y\n"))
    }
  }

  @Test func metricsOfAFailureShowWhereItEnded() async throws {
    try await withSilentServer { port in
      let outcome = try await Tool().run("-s", "--metrics", "-m", "0.3", "https://127.0.0.1:\(port)/")
      #expect(outcome.status == 28)
      #expect(outcome.errors.contains("-> no response"), "\(outcome.errors)")
    }
  }
}
