#if HTTP3
  import Foundation
  import LoadingModel
  import ProtocolRules
  import Testing
  import URLLoadingTestKit

  @testable import HTTPTransport

  /// Certificate transparency over QUIC, whose handshakes aren't NIOSSL's.
  @Suite(.timeLimit(.minutes(10))) struct HTTP3TransparencyTests {
    private let authority: TestCertificateAuthority
    private let alpha = TestTransparencyLog("alpha", operator: "A")
    private let beta = TestTransparencyLog("beta", operator: "B")

    init() throws { authority = try TestCertificateAuthority() }

    private func certificate(_ logs: [TestTransparencyLog]) throws -> TestCertificate {
      var traits = TestCertificateTraits()
      traits.hosts = [HTTP3Pair.host]
      traits.logs = logs
      return try authority.issue(traits)
    }

    /// The timestamps that these logs give for a certificate that has none.
    private func timestamps(_ certificate: TestCertificate, _ logs: TestTransparencyLog...) throws -> [UInt8] {
      try TestTransparencyLog.list(logs.map { try $0.timestamp(TestTransparencyLog.entry(certificate.der)) })
    }

    /// Runs `body` with a server that presents the certificate and sends the timestamps, and a client that requires them.
    private func withPair(
      _ certificate: TestCertificate, _ timestamps: [UInt8] = [], requires: Bool = true, knowsLogs: Bool = true,
      _ body: (HTTP3Pair) throws -> Void
    ) throws {
      try HTTP3Pair.run(presenting: certificate) { pair in
        pair.store = try TrustStore.store(anchors: [authority.der], beside: nil, arePublic: true)
        pair.policy = requires ? TLSPolicy(requiresTransparency: true) : .none
        if knowsLogs { pair.logs = try TransparencyLogs(TestTransparencyLog.document([alpha, beta])) }
        try #require(pair.server.prove(timestamps: timestamps))
        try body(pair)
      }
    }

    private func refusal(
      _ certificate: TestCertificate, _ timestamps: [UInt8] = [], requires: Bool = true, knowsLogs: Bool = true
    ) throws -> LoadError? {
      var refusal: LoadError?
      try withPair(certificate, timestamps, requires: requires, knowsLogs: knowsLogs) { pair in
        let dialled = pair.dial()
        pair.run(.seconds(1))
        #expect((dialled.connection == nil) == (dialled.error != nil))
        refusal = dialled.error
      }
      return refusal
    }

    @Test func timestampsInTheCertificateCount() throws {
      #expect(try refusal(certificate([alpha, beta])) == nil)
      let error = try #require(try refusal(certificate([alpha])))
      #expect(error.kind == .serverCertificateUntrusted && error.message.contains("1 of 2 logs"))
    }

    @Test func timestampsOfTheHandshakeCount() throws {
      let plain = try certificate([])
      #expect(try refusal(plain, timestamps(plain, alpha, beta)) == nil)
      let tooFew = try #require(try refusal(plain, timestamps(plain, beta)))
      #expect(tooFew.kind == .serverCertificateUntrusted && tooFew.message.contains("1 of 2 logs"))
      let none = try #require(try refusal(plain))
      #expect(none.kind == .serverCertificateUntrusted && none.message.contains("NSRequiresCertificateTransparency"))
      // Those of another certificate are signed for that one.
      let strange = try #require(try refusal(plain, timestamps(certificate([]), alpha, beta)))
      #expect(strange.message.contains("0 of 2 logs"))
    }

    @Test func withoutLogsNoServerIsTrusted() throws {
      let error = try #require(try refusal(certificate([alpha, beta]), knowsLogs: false))
      #expect(error.message.contains("certificateTransparencyLogs"))
    }

    @Test func nothingIsAskedWhereTheAppAsksForNothing() throws {
      #expect(try refusal(certificate([]), requires: false) == nil)
    }

    /// A ticket carries on what the first handshake has shown.
    @Test func resumedSessionIsAsGoodAsItsFirst() throws {
      let plain = try certificate([])
      try withPair(plain, timestamps(plain, alpha, beta)) { pair in
        let first = try pair.connect()
        let exchange = pair.start(on: first)
        pair.run(.seconds(2))
        try #require(exchange.answer.isComplete)
        first.close()
        pair.run(.seconds(1))
        let second = try pair.connect()
        #expect(!first.facts.isTLSResumed && second.facts.isTLSResumed)
        let again = pair.start(on: second)
        pair.run(.seconds(2))
        #expect(again.answer.isComplete && again.answer.status == 200)
      }
    }
  }
#endif
