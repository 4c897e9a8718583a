import Foundation
import LoadingModel
import Testing
import URLLoadingTestKit

@testable import HTTPTransport

/// Certificates that are valid for longer than public authorities may issue them.
struct CertificateLifetimeTests {
  private static let day: TimeInterval = 86_400

  private func verdict(_ days: Double, _ policy: TLSPolicy, isPublic: Bool) throws -> TrustVerdict {
    let authority = try TestCertificateAuthority()
    let root = try #require(PEMDocument.certificates(in: authority.pem))
    let leaf = try authority.issue(notBefore: Date(timeIntervalSinceNow: -Self.day), notAfter: Date(timeIntervalSinceNow: days * Self.day))
    let store = try TrustStore.store(anchors: root, beside: nil, arePublic: isPublic)
    return TrustEvaluation.verdict(on: [leaf.der], for: TrustRequirement(usage: .server, host: "127.0.0.1"), store: store)
      .meeting(policy, store)
  }

  @Test func publicAuthoritiesAreHeldToTheLimit() throws {
    let policy = TLSPolicy(limitsLifetimes: true)
    let long = try verdict(800, policy, isPublic: true)
    guard case .livesTooLong(let days) = long.result else { return #expect(Bool(false), "\(long)") }
    #expect(days <= 200)
    let error = try #require(long.error(host: "a.example"))
    #expect(error.kind == .serverCertificateUntrusted && error.message.contains("\(days) days"))
    #expect(try verdict(20, policy, isPublic: true).isTrusted)
    #expect(try verdict(800, .none, isPublic: true).isTrusted)
  }

  @Test func addedAuthoritiesAreNot() throws {
    #expect(try verdict(800, TLSPolicy(limitsLifetimes: true), isPublic: false).isTrusted)
  }

  @Test func filesOfTheAdministratorAreRead() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "anchors-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder.appending(path: "own"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (first, second) = try (TestCertificateAuthority(), TestCertificateAuthority())
    try first.pem.write(to: folder.appending(path: "first.crt"))
    let der = try #require(PEMDocument.certificates(in: second.pem)?.first)
    try der.write(to: folder.appending(path: "own/second.der"))
    try Data("no certificate".utf8).write(to: folder.appending(path: "README"))
    let found = LocalAnchors.read([folder.path, "/nowhere"])
    #expect(found.isSuperset(of: [der, first.der]))
  }
}
