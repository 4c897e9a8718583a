import CLoadingQUICServer
import Crypto
import Foundation
import LoadingModel
import NIOCore
import NIOEmbedded
import NIOSSL
import ProtocolRules
import Testing
import URLLoadingTestKit

@testable import HTTPTransport

/// Certificates of public authorities that have to have been published, and logs that say so.
struct CertificateTransparencyTests {
  private let authority: TestCertificateAuthority
  private let alpha = TestTransparencyLog("alpha", operator: "A")
  private let beta = TestTransparencyLog("beta", operator: "B")
  private let gamma = TestTransparencyLog("gamma", operator: "C")
  private let stranger = TestTransparencyLog("stranger", operator: "D")
  private static let required = TLSPolicy(requiresTransparency: true)

  init() throws { authority = try TestCertificateAuthority() }

  private func logs(retired: [String: String] = [:]) throws -> TransparencyLogs {
    try TransparencyLogs(TestTransparencyLog.document([alpha, beta, gamma], retired: retired))
  }

  private func certificate(_ logs: [TestTransparencyLog], days: Double = 20) throws -> TestCertificate {
    var traits = TestCertificateTraits()
    traits.logs = logs
    traits.notAfter = Date(timeIntervalSinceNow: days * 86_400)
    return try authority.issue(traits)
  }

  private func verdict(
    _ certificate: TestCertificate, _ evidence: TransparencyEvidence, _ policy: TLSPolicy = required, isPublic: Bool = true
  ) throws -> TrustVerdict {
    let store = try TrustStore.store(anchors: [authority.der], beside: nil, arePublic: isPublic)
    let chain = try #require(PEMDocument.certificates(in: certificate.chainPEM))
    return TrustEvaluation.verdict(on: chain, for: TrustRequirement(usage: .server, host: "localhost"), store: store)
      .meeting(policy, store, evidence)
  }

  // MARK: timestamps in certificates

  @Test func embeddedTimestampsOfTwoOperatorsWillDo() throws {
    let evidence = TransparencyEvidence(logs: try logs())
    #expect(try verdict(certificate([alpha, beta]), evidence).isTrusted)
    #expect(try verdict(certificate([alpha]), evidence).result == .unpublished(.tooFew(count: 1, needed: 2)))
    #expect(try verdict(certificate([alpha, stranger]), evidence).result == .unpublished(.tooFew(count: 1, needed: 2)))
    #expect(try verdict(certificate([stranger]), evidence).result == .unpublished(.tooFew(count: 0, needed: 2)))
    #expect(try verdict(certificate([]), evidence).result == .unpublished(.noTimestamps))
    #expect(try verdict(certificate([alpha, beta], days: 190), evidence).result == .unpublished(.tooFew(count: 2, needed: 3)))
    #expect(try verdict(certificate([alpha, beta, gamma], days: 190), evidence).isTrusted)
  }

  @Test func intermediateAuthoritiesKeyIsTheOneThatCounts() throws {
    var traits = TestCertificateTraits()
    traits.logs = [alpha, beta]
    let certificate = try authority.makeIntermediate().issue(traits)
    #expect(try verdict(certificate, TransparencyEvidence(logs: logs())).isTrusted)
  }

  @Test func timestampsOfAnotherCertificateAndOfTheFutureDoNotCount() throws {
    var late = alpha
    late.date = Date(timeIntervalSinceNow: 3600)
    let evidence = TransparencyEvidence(logs: try logs())
    #expect(try verdict(certificate([late, beta]), evidence).result == .unpublished(.tooFew(count: 1, needed: 2)))
    let other = try certificate([])
    let strange = try [alpha, beta].map { try $0.timestamp(TestTransparencyLog.entry(other.der)) }
    let shown = TransparencyEvidence(logs: try logs(), timestamps: TestTransparencyLog.list(strange))
    #expect(try verdict(certificate([]), shown).result == .unpublished(.tooFew(count: 0, needed: 2)))
  }

  @Test func retiredLogsCountForWhatTheySaidBefore() throws {
    let certificate = try certificate([alpha, beta])
    let later = ["alpha": "2126-01-01T00:00:00Z", "beta": "2126-01-01T00:00:00Z"]
    #expect(try verdict(certificate, TransparencyEvidence(logs: logs(retired: ["alpha": later["alpha"] ?? ""]))).isTrusted)
    #expect(try verdict(certificate, TransparencyEvidence(logs: logs(retired: later))).result == .unpublished(.noneCurrent))
    let before = TransparencyEvidence(logs: try logs(retired: ["alpha": "2020-01-01T00:00:00Z"]))
    #expect(try verdict(certificate, before).result == .unpublished(.tooFew(count: 1, needed: 2)))
  }

  @Test func nobodyButPublicAuthoritiesIsHeldToIt() throws {
    let certificate = try certificate([])
    #expect(try verdict(certificate, TransparencyEvidence(), isPublic: false).isTrusted)
    #expect(try verdict(certificate, TransparencyEvidence(), .none).isTrusted)
  }

  @Test func withoutLogsNothingIsTrustedAndTheErrorSaysWhatToDo() throws {
    let verdict = try verdict(certificate([alpha, beta]), TransparencyEvidence())
    #expect(verdict.result == .unpublished(.noLogs))
    let error = try #require(verdict.error(host: "a.example"))
    #expect(error.kind == .serverCertificateUntrusted)
    #expect(error.message.contains("“a.example”") && error.message.contains("certificateTransparencyLogs"))
  }

  @Test(arguments: [TransparencyShortfall.noLogs, .noTimestamps, .tooFew(count: 1, needed: 3), .noneCurrent, .onlyTiled])
  func errorsNameTheKeyAndTheHost(_ shortfall: TransparencyShortfall) {
    let message = TrustVerdict(.unpublished(shortfall)).error(host: "a.example")?.message ?? ""
    #expect(message.contains("NSRequiresCertificateTransparency") && message.contains("“a.example”"))
  }

  // MARK: timestamps in handshakes

  private struct Outcome {
    let refusal: LoadError?
    let isEstablished: Bool
  }

  /// A handshake in memory with a server that sends these proofs.
  private func handshake(
    _ certificate: TestCertificate, _ policy: TLSPolicy = required, logs: TransparencyLogs?, timestamps: [UInt8] = [], staple: [UInt8] = [],
    version: TLSVersion
  ) throws -> Outcome {
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(certificate.chainPEM)).map { .certificate($0) },
      privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(certificate.privateKeyPEM), format: .pem)))
    configuration.maximumTLSVersion = version
    let serverContext = try NIOSSLContext(configuration: configuration)
    let pointer = try #require(BoringSSLPointer.context(of: serverContext))
    #expect(uls_server_send_proofs(pointer, timestamps, timestamps.count, staple, staple.count) == 1)
    let store = try TrustStore.store(anchors: [authority.der], beside: nil, arePublic: true)
    let context = try TLSContexts.make(TLSSettings(minimumVersion: 0x0303, maximumVersion: 0x0304))
    let handler = try NIOSSLClientHandler(context: context, serverHostname: "localhost")
    let slot = try TLSSessionSlot(
      handler: handler, tickets: TLSTicketStore(), origin: Origin(scheme: "https", host: "localhost", port: 443), policy: policy,
      store: store, logs: logs, identities: ClientIdentityCache(), questions: nil, hello: EncryptedHello(.off))
    let (client, server) = (EmbeddedChannel(handler: handler), EmbeddedChannel(handler: NIOSSLServerHandler(context: serverContext)))
    defer {
      for channel in [client, server] {
        channel.close(promise: nil)
        // The other side doesn't answer.
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
      }
    }
    let address = try SocketAddress(ipAddress: "127.0.0.1", port: 443)
    _ = (client.connect(to: address), server.connect(to: address))
    for _ in 0..<20 {
      while let bytes = try? client.readOutbound(as: ByteBuffer.self) { _ = try? server.writeInbound(bytes) }
      while let bytes = try? server.readOutbound(as: ByteBuffer.self) { _ = try? client.writeInbound(bytes) }
    }
    return Outcome(refusal: slot.refusal, isEstablished: slot.negotiatedCipherSuite != nil)
  }

  /// An OCSP response of which nothing is right but that it has timestamps.
  private func staple(_ list: [UInt8]) -> [UInt8] {
    func sequence(_ parts: [UInt8]...) -> [UInt8] { DERReader.element(0x30, parts.flatMap(\.self)) }
    let mark = sequence(
      [0x06, 0x0A, 0x2B, 0x06, 0x01, 0x04, 0x01, 0xD6, 0x79, 0x02, 0x04, 0x05], DERReader.element(4, DERReader.element(4, list)))
    let single = sequence(sequence([2, 1, 1]), [0x80, 0], [0x18, 1, 0x30], DERReader.element(0xA1, sequence(mark)))
    let data = sequence([0xA2, 2, 4, 0], [0x18, 1, 0x30], sequence(single))
    let kind: [UInt8] = [0x06, 0x09, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01, 0x01]
    let basic = sequence(data, sequence([5, 0]), [3, 2, 0, 1])
    return sequence([0x0A, 1, 0], DERReader.element(0xA0, sequence(kind, DERReader.element(4, basic))))
  }

  @Test(arguments: [TLSVersion.tlsv12, .tlsv13]) func timestampsOfTheHandshakeCount(_ version: TLSVersion) throws {
    let certificate = try certificate([])
    let entry = TestTransparencyLog.entry(certificate.der)
    let both = try TestTransparencyLog.list([alpha, beta].map { try $0.timestamp(entry) })
    let one = try TestTransparencyLog.list([alpha.timestamp(entry)])
    let other = try TestTransparencyLog.list([beta.timestamp(entry)])
    let known = try logs()
    let byExtension = try handshake(certificate, logs: known, timestamps: both, version: version)
    #expect(byExtension.refusal == nil && byExtension.isEstablished)
    let byStaple = try handshake(certificate, logs: known, staple: staple(both), version: version)
    #expect(byStaple.refusal == nil && byStaple.isEstablished)
    let mixed = try handshake(certificate, logs: known, timestamps: one, staple: staple(other), version: version)
    #expect(mixed.refusal == nil && mixed.isEstablished)
    let tooFew = try handshake(certificate, logs: known, timestamps: one, version: version)
    #expect(tooFew.refusal?.message.contains("1 of 2 logs") == true)
    let none = try handshake(certificate, logs: known, version: version)
    #expect(none.refusal?.kind == .serverCertificateUntrusted)
    let unknown = try handshake(certificate, logs: nil, timestamps: both, version: version)
    #expect(unknown.refusal?.message.contains("certificateTransparencyLogs") == true)
    let unasked = try handshake(certificate, .none, logs: known, version: version)
    #expect(unasked.refusal == nil && unasked.isEstablished)
    let embedded = try handshake(self.certificate([alpha, beta]), logs: known, version: version)
    #expect(embedded.refusal == nil && embedded.isEstablished)
  }

  @Test func nonsenseInAStapleIsNoEvidence() throws {
    let certificate = try certificate([])
    let one = try handshake(certificate, logs: logs(), staple: [0x30, 0x82, 0xFF, 0xFF, 0], version: .tlsv13)
    #expect(one.refusal?.message.contains("has a timestamp") == true)
  }

  // MARK: keys of logs

  private static let leaf =
    "MIIBeDCCAR+gAwIBAgIUcC9jDYrMTk410QrmdHrWz6KvhSgwCgYIKoZIzj0EAwIwETEPMA0GA1UEAwwGYS50ZXN0MCAXDTI2MTEyNjA1MTMxNF"
    + "oYDzIxMjYxMTAyMDUxMzE0WjARMQ8wDQYDVQQDDAZhLnRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARyYeCAYjIdRaWgeinEklTHYOKh"
    + "VPmyiBOg7IWomG4c9saTqIbgJVueNq5mh/rdw/YuzQw1aqr0NWDBk1WdnXXho1MwUTAdBgNVHQ4EFgQUJX5R54ER901uzWdFS9uTw2i0D9IwHw"
    + "YDVR0jBBgwFoAUJX5R54ER901uzWdFS9uTw2i0D9IwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiAAvEjzcfW32mTPbElk/M+t"
    + "Am74rCD9jKbFhsKy50K5pwIgM+Hsk6CMGdkQ1tmy6e+UiDgRWmiq+MIhQRYgn2knIQU="
  private static let longKey =
    "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAycDlz2C9Mbg5Be6BpKxbDsL9xRmoaEmF7tUKLdX41U16p+i+qJVDez1JLymGj8Y39V"
    + "HG/t0LKRmkyB7ABIeoEO7UaZwid0TxGMgUVBiFJPuoJH9waA2nkSgJiNg49cZHheKnu7Nm4dUFq3Eb7wwCVaxs+lB0AEy1eSawkwk9akIjCjeU"
    + "VgVBSW7V7qj1zghhtmrk6aK5Mzhg3XuFThw+ClpRccOPKD34sZJnpcHCoUXKx1XsblDheS+UMhglGZsUJySPyX2bjm9tVLqUnULfHjAfcIl+jP"
    + "7FzcfHSgSK9Dq3KEEAXFZR7DAFsIuE0pv9rr62pqVqqfPOKgbCAWXpvwIDAQAB"
  private static let longSignature =
    "LASZhnIh4qQ7SvZq93AV1m8J6vTzoPNFHyQ+R89AZhjw8r3zDXIMmVB++tLFvTaYFD6gLhcr3AWqWze/f4/TFPSeCnoUMb1mYkUE7UaV/5kkLn"
    + "Ks1zYm4xxvcjzh2/8wAdcoI6maHxO6JC02KBHGgOukJzJXGr80Mf+1q96qXqrNLZQiWtYEgWVdKkfLw1aG+6wifbtidjiaZnop8sjtGt+XhumS"
    + "F2Tp/vJNqBXnsdYkPlozgFhxArJAsFLfGVRBTBJwNa/m2C2mvTupw/VVRj6bTwFGA67Uo3LRin46j7WU00Hs4+6nOG0+hYVS1RWB+VAhIzsKru"
    + "q9/HXQQDivpA=="
  private static let shortKey =
    "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDNFZp9sEAQUeM5j5jl101KsAuvVejutpyEXZMmRODp5Q0V2BQ1q88MA4CbuGOy0FmMzgdh3w"
    + "nNbiEgsdDb7K3NQLTbZy0+Hx1D6BzYGNtOg+Zvv32qqIUEN2Op5k+rUamJjrsxkRrxsAdqreV3gvs397kI5n+7QB2W6ZLnqE3m7QIDAQAB"
  private static let shortSignature =
    "hMtTwedSzygy3OWV74P8Jsms3w0X8AXIBZULO58a/gDZycV78WP1hPFk+x0KpOuird7Zy/+hlKpakfpP90wit8uXH2+2j/1OHus1EWkOjhehGT"
    + "yjZGdNS3m6tWq0L0WTGVsFqbR71Fm0DwxEKn1C3MpyxdVN0GBciaVMTCZWKfM="

  /// Logs with RSA keys, by openssl: one key is long enough, the other isn't.
  @Test(arguments: [(longKey, longSignature, true), (shortKey, shortSignature, false)])
  func keysOfRSANeed2048Bits(_ key: String, _ signature: String, _ isEnough: Bool) throws {
    let leaf = try #require(Data(base64Encoded: Self.leaf))
    let (key, signature) = try (#require(Data(base64Encoded: key)), #require(Data(base64Encoded: signature)))
    let digest = Array(SHA256.hash(data: key))
    let entry: [String: Any] = [
      "log_id": Data(digest).base64EncodedString(), "key": key.base64EncodedString(),
      "state": ["usable": ["timestamp": "2020-01-01T00:00:00Z"]],
    ]
    var document = try #require(
      try JSONSerialization.jsonObject(with: TestTransparencyLog.document([alpha])) as? [String: Any])
    document["operators"] = (document["operators"] as? [Any] ?? []) + [["name": "RSA", "logs": [entry]] as [String: Any]]
    let logs = try TransparencyLogs(JSONSerialization.data(withJSONObject: document))
    let milliseconds: [UInt8] = (0..<8).map { UInt8(truncatingIfNeeded: 1_770_000_000_000 >> (8 * (7 - $0))) }
    let length = [UInt8(signature.count >> 8), UInt8(signature.count & 0xFF)]
    let kind: [UInt8] = [0]
    let rest: [UInt8] = [0, 0, 4, 1]
    let timestamp: [UInt8] = kind + digest + milliseconds + rest + length + signature
    let list = try TestTransparencyLog.list([timestamp, alpha.timestamp(TestTransparencyLog.entry(leaf))])
    let shortfall = TransparencyEvidence(logs: logs, timestamps: list).shortfall(of: [leaf, leaf])
    #expect(isEnough ? shortfall == nil : shortfall == .tooFew(count: 1, needed: 3))
  }
}
