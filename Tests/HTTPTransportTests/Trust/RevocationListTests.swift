import Foundation
import Testing
import URLLoadingTestKit

@testable import HTTPTransport

/// Lists of revoked certificates, in DER and in PEM, and what they say of chains.
struct RevocationListTests {
  private let root: TestCertificateAuthority
  private let middle: TestCertificateAuthority
  private let leaf: TestCertificate

  init() throws {
    root = try TestCertificateAuthority()
    middle = try root.makeIntermediate()
    leaf = try middle.issue()
  }

  private func pem(_ lists: Data...) -> Data {
    Data(
      lists.map {
        "-----BEGIN X509 CRL-----\n" + $0.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
          + "\n-----END X509 CRL-----\n"
      }.joined().utf8)
  }

  private func verdict(
    _ lists: [Data], _ revocation: TrustRequirement.Revocation = .unasked, time: Date? = nil
  ) throws -> TrustVerdict {
    let read = RevocationLists(lists)
    #expect((read == nil) == lists.isEmpty)
    let store = try TrustStore.store(anchors: [root.der], beside: nil).looking(into: read)
    let chain = try #require(PEMDocument.certificates(in: leaf.chainPEM))
    var requirement = TrustRequirement(usage: .server, host: "localhost")
    requirement.revocation = revocation
    return TrustEvaluation.verdict(on: chain, for: requirement, store: store, time: time)
  }

  private static let lists: TrustRequirement.Revocation = .required(options: TrustRequirement.Revocation.byLists)

  @Test func whatItsIssuerHasRevokedIsNotTrusted() throws {
    let verdict = try verdict([middle.revocationList([leaf.der])])
    #expect(verdict.result == .revoked && verdict.depth == 0)
    #expect(verdict.error(host: "a.example")?.message.contains("revoked") == true)
  }

  @Test func revokedAuthorityIsNotTrusted() throws {
    let verdict = try verdict([middle.revocationList([]), root.revocationList([middle.der])])
    #expect(verdict.result == .revoked && verdict.depth == 1)
  }

  @Test func othersAreTrusted() throws {
    let other = try middle.issue()
    #expect(try verdict([middle.revocationList([other.der])]).isTrusted)
    #expect(try verdict([]).isTrusted)
  }

  @Test func listOfSomebodyElseDoesNotCount() throws {
    // The same name and another key; another name.
    let impostor = try root.makeIntermediate()
    #expect(try verdict([impostor.revocationList([leaf.der])]).isTrusted)
    #expect(try verdict([root.revocationList([leaf.der])]).isTrusted)
    #expect(try verdict([impostor.revocationList([]), root.revocationList([])], Self.lists).result == .revocationUnknown)
  }

  @Test func listsInPEMAndSeveralAtOnceAreRead() throws {
    let (empty, full) = try (root.revocationList([]), middle.revocationList([leaf.der]))
    #expect(RevocationLists([pem(empty, full)])?.count == 2)
    #expect(RevocationLists([pem(empty), full])?.count == 2)
    #expect(try verdict([pem(empty, full)]).result == .revoked)
    #expect(try verdict([full, pem(empty)]).result == .revoked)
  }

  @Test func whatIsNoListIsNone() throws {
    let list = try middle.revocationList([leaf.der])
    #expect(RevocationLists([]) == nil)
    for bytes in [Data(), Data("text".utf8), leaf.der, leaf.pem, list + [0], list.dropLast(), pem(list) + pem(list.dropLast(9))] {
      #expect(RevocationLists([bytes]) == nil)
      #expect(RevocationLists([list, bytes]) == nil)
    }
  }

  @Test func listThatIsOutOfDateStillCountsForWhatItHas() throws {
    var traits = TestRevocationTraits()
    traits.thisUpdate = Date(timeIntervalSinceNow: -7200)
    traits.nextUpdate = Date(timeIntervalSinceNow: -3600)
    #expect(try verdict([middle.revocationList([leaf.der], traits)]).result == .revoked)
  }

  // MARK: proof that nothing is revoked

  @Test func listsOfTheWholeChainAreProof() throws {
    let lists = try [middle.revocationList([]), root.revocationList([])]
    #expect(try verdict(lists, Self.lists).isTrusted)
    #expect(try verdict([lists[0]], Self.lists).result == .revocationUnknown)
    #expect(try verdict([lists[1]], Self.lists).result == .revocationUnknown)
    #expect(try verdict([], Self.lists).result == .revocationUnknown)
    #expect(try verdict(lists, .required(options: 1)).result == .revocationUnknown)
    #expect(try verdict(lists, .required(options: 3)).isTrusted)
    // Where OCSP alone is asked for, lists don't count.
    let revoked = try [middle.revocationList([leaf.der])]
    #expect(try verdict(revoked, .asked(options: 1)).isTrusted)
    #expect(try verdict(revoked, .asked(options: 2)).result == .revoked)
    #expect(try verdict(revoked, Self.lists).result == .revoked)
  }

  @Test func listThatIsNotOfNowIsNoProof() throws {
    let lists = try [middle.revocationList([]), root.revocationList([])]
    #expect(try verdict(lists, Self.lists, time: Date(timeIntervalSinceNow: 7200)).result == .revocationUnknown)
    #expect(try verdict(lists, Self.lists, time: Date(timeIntervalSinceNow: -7200)).result == .revocationUnknown)
    var traits = TestRevocationTraits()
    traits.hasNextUpdate = false
    #expect(try verdict([middle.revocationList([], traits), root.revocationList([])], Self.lists).result == .revocationUnknown)
  }

  @Test func listOfSomeCertificatesAloneIsNoProofAndStillCountsForWhatItHas() throws {
    // An issuing distribution point: only certificates of users.
    var traits = TestRevocationTraits()
    traits.extensions = [
      [0x30, 0x0F, 0x06, 0x03, 0x55, 0x1D, 0x1C, 0x01, 0x01, 0xFF, 0x04, 0x05, 0x30, 0x03, 0x81, 0x01, 0xFF]
    ]
    let (empty, full) = try (middle.revocationList([], traits), middle.revocationList([leaf.der], traits))
    #expect(try verdict([empty, root.revocationList([])], Self.lists).result == .revocationUnknown)
    #expect(try verdict([full]).result == .revoked)
  }

  @Test func listForOthersIsLeftOut() throws {
    // A critical extension of an entry, such as one that names another issuer.
    var traits = TestRevocationTraits()
    traits.entryExtensions = [[0x30, 0x0D, 0x06, 0x03, 0x55, 0x1D, 0x1D, 0x01, 0x01, 0xFF, 0x04, 0x03, 0x30, 0x01, 0x00]]
    let list = try middle.revocationList([leaf.der], traits)
    #expect(try verdict([list, middle.revocationList([])]).isTrusted)
  }

  @Test func storesWithTheSameAnchorsAndOtherListsAreIndependent() throws {
    let plain = try TrustStore.store(anchors: [root.der], beside: nil)
    let chain = try #require(PEMDocument.certificates(in: leaf.chainPEM))
    let requirement = TrustRequirement(usage: .server, host: "localhost")
    do {
      let wary = plain.looking(into: try RevocationLists([middle.revocationList([leaf.der])]))
      #expect(TrustEvaluation.verdict(on: chain, for: requirement, store: wary).result == .revoked)
      #expect(wary.looking(into: wary.lists) === wary)
    }
    #expect(TrustEvaluation.verdict(on: chain, for: requirement, store: plain).isTrusted)
  }
}
