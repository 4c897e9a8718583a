import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@testable import urlload

@Suite(.timeLimit(.minutes(10))) struct DiagnosisTests {
  @Test func everyCombinationIsTriedOnce() {
    let titles = TransportSecurityTrial.all.map(\.title)
    #expect(titles.count == 18)
    #expect(Set(titles).count == 18)
    #expect(TransportSecurityTrial.all.contains(.fullProtection))
  }

  @Test func keysAreThoseThatDifferFromFullProtection() {
    #expect(TransportSecurityTrial.fullProtection.keys == [])
    let weak = TransportSecurityTrial(settings: .exception(version: .tls10, forwardSecrecy: false, http: true))
    #expect(
      weak.keys == [
        "NSExceptionAllowsInsecureHTTPLoads = YES", "NSExceptionMinimumTLSVersion = TLSv1.0", "NSExceptionRequiresForwardSecrecy = NO",
      ])
    let entry = weak.transportSecurity(for: "a.example").exceptionDomains["a.example"]
    #expect(entry?.minimumTLSVersion == .TLSv10)
    #expect(entry?.requiresForwardSecrecy == false)
    #expect(entry?.allowsInsecureHTTPLoads == true)
  }

  /// Lines of the tool's answer: the mark, without the reasons, by the combination's title.
  private func marks(_ text: String) -> [String: String] {
    var marks: [String: String] = [:]
    for trial in TransportSecurityTrial.all {
      let line = text.split(separator: "\n").first { $0.dropFirst(6).hasPrefix(trial.title + " ") }
      marks[trial.title] = line.map { String($0.prefix(4)) }
    }
    return marks
  }

  @Test func serverThatMeetsEverythingNeedsNoException() async throws {
    let authority = try TestCertificateAuthority()
    try await Tool.withDirectory { tool, directory in
      try authority.pem.write(to: directory.appending(path: "ca.pem"))
      try await TestServer.with(.https(authority.issue())) { server async throws in
        server.route("/", reply: .text("hello"))
        let outcome = try await tool.run("ats", "--cacert", "ca.pem", server.url("/", host: "localhost").absoluteString)
        #expect(outcome.status == 0)
        #expect(Set(marks(outcome.text).values) == ["PASS"])
        #expect(marks(outcome.text).count == 18)
        #expect(outcome.text.contains("TLS 1.3 "))
        #expect(outcome.text.contains("localhost meets App Transport Security"))
      }
    }
  }

  @Test func oldServerFailsWhereItsVersionIsTooLow() async throws {
    let authority = try TestCertificateAuthority()
    try await Tool.withDirectory { tool, directory in
      try authority.pem.write(to: directory.appending(path: "ca.pem"))
      var options = TestServer.Options.https(try authority.issue())
      (options.minimumTLSVersion, options.maximumTLSVersion) = (.tls10, .tls11)
      try await TestServer.with(options) { server async throws in
        server.route("/", reply: .text("hello"))
        let outcome = try await tool.run("ats", "--cacert", "ca.pem", server.url("/", host: "localhost").absoluteString)
        #expect(outcome.status == 35)
        let marks = marks(outcome.text)
        for trial in TransportSecurityTrial.all {
          guard case .exception(let version, _, _) = trial.settings else { continue }
          #expect(marks[trial.title] == (version <= .tls11 ? "PASS" : "FAIL"), "\(trial.title)")
        }
        #expect(outcome.text.contains("-1200 "))
        #expect(outcome.text.contains("  NSExceptionMinimumTLSVersion = TLSv1.1\n"))
      }
    }
  }

  @Test func serverWithoutTLSPassesOnlyWhereHTTPIsAllowed() async throws {
    try await withStandardServer { server in
      let outcome = try await Tool().run("ats", server.url("/get", host: "localhost").absoluteString)
      #expect(outcome.status == 35)
      let marks = marks(outcome.text)
      for trial in TransportSecurityTrial.all {
        guard case .exception(_, _, let http) = trial.settings else { continue }
        #expect(marks[trial.title] == (http ? "PASS" : "FAIL"), "\(trial.title)")
      }
      #expect(outcome.text.contains("-1022 "))
      #expect(outcome.text.contains("NSExceptionAllowsInsecureHTTPLoads = YES"))
      // A local host isn't covered where nothing is set.
      #expect(marks["nothing set"] == "PASS")
    }
  }

  @Test func whatIsNoServerIsAUsageError() async throws {
    let outcome = try await Tool().run("ats", "mailto:someone")
    #expect(outcome.status == 3)
    #expect(outcome.errors.contains("name a server as https://host/"))
    #expect(try await Tool().run("ats", "--cacert", "/nowhere.pem", "https://localhost/").status == 77)
  }
}
