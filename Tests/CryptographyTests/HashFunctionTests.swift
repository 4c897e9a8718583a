import Cryptography
import Foundation
import Testing

struct HashFunctionTests {
  private func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }

  /// "abc": RFC 1320, A.5; RFC 1321, A.5; FIPS 180-4's examples.
  private static let abc: [(HashFunction, String)] = [
    (.md4, "a448017aaf21d8525fc10ae87aa6729d"),
    (.md5, "900150983cd24fb0d6963f7d28e17f72"),
    (.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
    (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (.sha384, "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"),
    (
      .sha512,
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
    ),
    (.sha512Part256, "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
  ]

  @Test(arguments: HashFunctionTests.abc) func standardExamplesHaveTheirDigests(function: HashFunction, digest: String) {
    #expect(hex(function.hash(Data("abc".utf8))) == digest)
    #expect(function.digestLength == digest.utf8.count / 2)
  }

  @Test func noBytesHaveADigest() {
    #expect(hex(HashFunction.sha256.hash(Data())) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(hex(HashFunction.md4.hash([UInt8]())) == "31d6cfe0d16ae931b73c59d7e0c089c0")
  }

  @Test(arguments: HashFunction.allCases) func piecesHashLikeTheWhole(function: HashFunction) {
    let data = Data((0..<1000).map { UInt8(truncatingIfNeeded: $0) })
    var hash = RunningHash(function)
    for start in stride(from: 0, to: 1000, by: 77) { hash.update(data[start..<min(start + 77, 1000)]) }
    #expect(hash.finalized() == function.hash(data))
  }

  @Test func copiesGoOnByThemselves() {
    var first = RunningHash(.sha256)
    first.update(Data("a".utf8))
    var second = first
    second.update(Data("x".utf8))
    first.update(Data("bc".utf8))
    #expect(first.finalized() == HashFunction.sha256.hash(Data("abc".utf8)))
    #expect(second.finalized() == HashFunction.sha256.hash(Data("ax".utf8)))
    // A digest ends nothing.
    first.update(Data("d".utf8))
    #expect(first.finalized() == HashFunction.sha256.hash(Data("abcd".utf8)))
  }

  /// RFC 2202, 2, test cases 1 and 2; RFC 4231, 4.2 and 4.7 (a key that is longer than a block).
  @Test func authenticationCodesAreThoseOfTheRFCs() {
    let hi = Data("Hi There".utf8)
    #expect(
      hex(HashFunction.md5.authenticationCode(of: hi, key: [UInt8](repeating: 0x0b, count: 16))) == "9294727a3638bb1c13f48ef8158bfc9d")
    #expect(
      hex(HashFunction.md5.authenticationCode(of: Data("what do ya want for nothing?".utf8), key: Data("Jefe".utf8)))
        == "750c783e6ab0b503eaa86e310a5db738")
    #expect(
      hex(HashFunction.sha256.authenticationCode(of: hi, key: [UInt8](repeating: 0x0b, count: 20)))
        == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
    let long = Data("Test Using Larger Than Block-Size Key - Hash Key First".utf8)
    #expect(
      hex(HashFunction.sha256.authenticationCode(of: long, key: [UInt8](repeating: 0xaa, count: 131)))
        == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
  }

  @Test func emptyKeysAndMessagesHaveCodes() {
    #expect(
      hex(HashFunction.sha256.authenticationCode(of: Data(), key: Data()))
        == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
  }
}
