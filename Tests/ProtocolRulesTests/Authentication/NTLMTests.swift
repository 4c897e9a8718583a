import Cryptography
import Foundation
import LoadingModel
import Testing

@testable import ProtocolRules

/// The figures are those of MS-NLMP, 4.2.1 and 4.2.4.
struct NTLMTests {
  private let identity = NTLMIdentity("Domain\\User")
  private let clientChallenge = [UInt8](repeating: 0xaa, count: 8)
  private static let challenge = bytes(
    """
    4e544c4d53535000 02000000 0c000c0038000000 33828ae2 0123456789abcdef 0000000000000000 2400240044000000 060070170000000f
    530065007200760065007200 02000c0044006f006d00610069006e00 01000c00530065007200760065007200 00000000
    """)
  private let request = AuthorizedRequest(method: "GET", origin: Origin(scheme: "http", host: "h.test", port: 80), uri: "/")

  @Test(arguments: [
    ("", "31d6cfe0d16ae931b73c59d7e0c089c0"), ("a", "bde52cb31de33e46245e05fbdbd6fb24"),
    ("message digest", "d9130a8164549fe818874806e1c7014b"),
    ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "043f8582f241db351ce627e153e7f0e4"),
    (String(repeating: "1234567890", count: 8), "e33b4ddc9c38f2199c3e7b164fcc0536"),
  ])
  func md4MatchesRFC1320(message: String, digest: String) {
    #expect(HashFunction.md4.hash(Array(message.utf8)) == bytes(digest))
  }

  @Test func responseKeyMatchesTheSpecification() {
    #expect(NTLMProof.responseKey(identity: identity, password: "Password") == bytes("0c868a403bfd7a93a3001ef22ef02e3f"))
  }

  @Test func responsesMatchTheSpecification() throws {
    let challenge = try #require(NTLMChallenge(NTLMTests.challenge))
    let proof = NTLMProof(
      identity: identity, password: "Password", serverChallenge: challenge.serverChallenge, clientChallenge: clientChallenge,
      time: [UInt8](repeating: 0, count: 8), targetInfo: challenge.targetInfo, omitsLM: false)
    #expect(proof.lmResponse == bytes("86c35097ac9cec102554764a57cccc19 aaaaaaaaaaaaaaaa"))
    #expect(Array(proof.ntResponse.prefix(16)) == bytes("68cd0ab851e51c96aabc927bebef6a1c"))
    #expect(proof.sessionBaseKey == bytes("8de40ccadbc14a82f15cb0ad0de95ca3"))
    var rest = bytes("0101000000000000 0000000000000000 aaaaaaaaaaaaaaaa 00000000")
    rest += NTLMTests.challenge.suffix(36)
    rest += [0, 0, 0, 0]
    #expect(Array(proof.ntResponse.dropFirst(16)) == rest)
  }

  @Test func authenticateMessageMatchesTheSpecificationButForFlagsAndVersion() throws {
    let challenge = try #require(NTLMChallenge(NTLMTests.challenge))
    let message = NTLMMessages.authenticate(
      challenge, identity: identity, password: "Password", workstation: "COMPUTER", clientChallenge: clientChallenge, time: 0)
    #expect(
      Array(message[..<60])
        == bytes(
          """
          4e544c4d53535000 03000000 180018006c000000 5400540084000000 0c000c0048000000 0800080054000000 100010005c000000
          00000000d8000000
          """))
    #expect(
      Array(message[72..<108]) == bytes("44006f006d00610069006e00 5500730065007200 43004f004d0050005500540045005200"))
    #expect(message.count == 0xd8)
  }

  @Test func serverTimeBringsAnIntegrityCodeAndNoLMResponse() throws {
    let challenge = try #require(NTLMChallenge(NTLMTests.challengeWithTime))
    let message = NTLMMessages.authenticate(
      challenge, identity: identity, password: "Password", clientChallenge: clientChallenge, time: 1)
    let reader = LittleEndianReader(bytes: message)
    let lmOffset = Int(try #require(reader.uint32(at: 16)))
    #expect(reader.slice(at: lmOffset, count: 24) == [UInt8](repeating: 0, count: 24))
    let ntOffset = Int(try #require(reader.uint32(at: 24)))
    let ntLength = Int(try #require(reader.uint16(at: 20)))
    let response = try #require(reader.slice(at: ntOffset, count: ntLength))
    // The server's time, not the client's; and the flag that says so to the server.
    #expect(Array(response[24..<32]) == [1, 2, 3, 4, 5, 6, 7, 8])
    let info = try #require(NTLMTargetInfo(Array(response[44...])))
    #expect(info.pairs.contains { $0.id == 6 && $0.value == [2, 0, 0, 0] })
    // The code covers all three messages, itself as zeros.
    var blank = message
    blank.replaceSubrange(72..<88, with: repeatElement(0, count: 16))
    let key = hmacMD5(key: NTLMProof.responseKey(identity: identity, password: "Password"), Array(response[..<16]))
    #expect(Array(message[72..<88]) == hmacMD5(key: key, NTLMMessages.negotiate + NTLMTests.challengeWithTime + blank))
  }

  @Test(arguments: [
    ("CORP\\ann", "CORP", "ann"), ("CORP/ann", "CORP", "ann"), ("ann@corp.test", "", "ann@corp.test"), ("ann", "", "ann"),
  ])
  func userNamesAreTakenApart(name: String, domain: String, user: String) {
    #expect(NTLMIdentity(name) == NTLMIdentity(domain: domain, user: user))
  }

  @Test func damagedChallengesAreRefusedWithoutATrap() {
    for count in 0..<NTLMTests.challenge.count { #expect(NTLMChallenge(Array(NTLMTests.challenge.prefix(count))) == nil) }
    for place in NTLMTests.challenge.indices {
      var damaged = NTLMTests.challenge
      damaged[place] = 0xff
      // Any outcome but a trap.
      if let challenge = NTLMChallenge(damaged) {
        _ = NTLMMessages.authenticate(challenge, identity: identity, password: "p", clientChallenge: clientChallenge, time: 0)
      }
    }
  }

  @Test func conversationTakesTwoMessages() async {
    var mechanism = NTLMMechanism(
      user: "Domain\\User", password: "Password", clientChallenge: clientChallenge, now: Date(timeIntervalSince1970: 0))
    #expect(mechanism.isConnectionBound)
    guard case .needsMore(let first) = await mechanism.respond(to: AuthenticateField(scheme: "ntlm"), request) else {
      Issue.record("the conversation should begin")
      return
    }
    #expect(first.hasPrefix("NTLM TlRMTVNTUAABAAAA"))
    let token = Data(NTLMTests.challenge).base64EncodedString()
    guard case .authorize(let second) = await mechanism.respond(to: AuthenticateField(scheme: "ntlm", token68: token), request) else {
      Issue.record("the challenge should be answered")
      return
    }
    #expect(second.hasPrefix("NTLM TlRMTVNTUAADAAAA"))
    #expect(await mechanism.respond(to: AuthenticateField(scheme: "ntlm"), request) == .failed)
    #expect(!"\(mechanism)".contains("Password"))
  }

  @Test func challengesOutOfTurnFail() async {
    let token = Data(NTLMTests.challenge).base64EncodedString()
    let fresh = NTLMMechanism(user: "u", password: "p", clientChallenge: clientChallenge, now: Date(timeIntervalSince1970: 0))
    var mechanism = fresh
    #expect(await mechanism.respond(to: AuthenticateField(scheme: "ntlm", token68: token), request) == .failed)
    for bad in [nil, "AAAA", "not base64!"] {
      mechanism = fresh
      _ = await mechanism.respond(to: AuthenticateField(scheme: "ntlm"), request)
      #expect(await mechanism.respond(to: AuthenticateField(scheme: "ntlm", token68: bad), request) == .failed)
    }
  }

  /// The specification's challenge with a timestamp in its target information.
  private static let challengeWithTime: [UInt8] = {
    var message = challenge
    message.replaceSubrange(message.count - 4..<message.count, with: bytes("0700 0800 0102030405060708 00000000"))
    message[40] = 48
    message[42] = 48
    return message
  }()
}

private func bytes(_ text: String) -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
}
