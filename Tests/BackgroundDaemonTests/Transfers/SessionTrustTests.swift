import BackgroundDaemon
import BackgroundTransfers
import Foundation
import HTTPTransport
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// What an app's environment says about TLS is a part of its sessions' terms.
@Suite(.timeLimit(.minutes(10))) struct SessionTrustTests {
  private func configuration(_ tls: TLSEnvironment?) -> Data {
    let configuration = URLSessionConfiguration.testing()
    configuration.tlsEnvironment = tls
    return BackgroundConfiguration(configuration).encoded
  }

  @Test func authoritiesAndLogAreThoseOfTheSession() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let authority = try TestCertificateAuthority(name: "Private")
    let (file, log) = (ground.file("authority.pem"), ground.file("keys"))
    try authority.pem.write(to: file)
    var options = TestServer.Options()
    options.tls = .certificate(try authority.issue())
    try await TestServer.with(options) { server in
      server.route("/f", reply: .text("trusted"))
      try await ground.serving { _ in
        var terms = ground.terms("trusting")
        terms.configuration = configuration(
          TLSEnvironment(environment: ["SSL_CERT_FILE": file.path(percentEncoded: false), "SSLKEYLOGFILE": log.path(percentEncoded: false)])
        )
        let app = try ground.attach(terms)
        try await app.caughtUp()
        app.begin(.download(1, server.url("/f")))
        #expect(try await app.event(of: 1).outcome.error == nil)
        #expect(try String(contentsOf: log, encoding: .utf8).contains("CLIENT_"))
      }
    }
  }

  @Test func sessionWithoutThemHasTheSystems() throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let app = ground.terms().app
    let plain = try #require(BackgroundConfiguration(encoded: configuration(.plain)))
    #expect(plain.make(for: app).tlsEnvironment == .plain)
    // What this process's environment says is this process's alone, as it is the daemon's there.
    let own = try #require(BackgroundConfiguration(encoded: configuration(nil)))
    #expect(own.make(for: app).tlsEnvironment == TLSEnvironment.ofProcess.absolute)
  }

  /// The daemon works in another folder.
  @Test func pathsAreMadeAbsolute() {
    let here = FileManager.default.currentDirectoryPath
    let given = TLSEnvironment(environment: ["SSL_CERT_FILE": "ca.pem", "SSL_CERT_DIR": "more:/certs", "SSLKEYLOGFILE": "keys"]).absolute
    #expect(given.trust == TrustStoreSource(file: "\(here)/ca.pem", folders: ["\(here)/more", "/certs"]) && given.keyLog == "\(here)/keys")
    #expect(TLSEnvironment(environment: ["SSL_CERT_FILE": "", "SSLKEYLOGFILE": ""]) == .plain)
  }

  /// Without a proxy of its own a session has none, whatever the daemon's environment is.
  @Test func proxiesAreThoseOfTheSessionEvenIfThereAreNone() throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let read = try #require(BackgroundConfiguration(encoded: BackgroundConfiguration(.default).encoded))
    #expect(read.make(for: ground.terms().app).proxySettings != nil)
  }
}
