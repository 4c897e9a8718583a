import Crypto
import Cryptography
import Foundation
import Testing

struct SealingKeyTests {
  private func bytes(_ hex: String) -> Data {
    let digits = Array(hex.filter { !$0.isWhitespace })
    return Data(stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) })
  }

  /// The Galois/Counter Mode of Operation (McGrew, Viega), test case 16: nonce, encrypted bytes, tag.
  @Test func publishedExampleIsOpened() throws {
    let key = try #require(SealingKey(bytes("feffe9928665731c6d6a8f9467308308 feffe9928665731c6d6a8f9467308308")))
    let sealed = bytes(
      """
      cafebabefacedbaddecaf888
      522dc1f099567d07f47f37a32a84427d 643a8cdcbfe5c0c97598a2bd2555d1aa 8cb08e48590dbb3da7b08b1056828838 c5f61e6393ba7a0abcc9f662
      76fc6ece0f4e1768cddf8853bb2d551b
      """)
    let plain = bytes(
      """
      d9313225f88406e5a55909c5aff5269a 86a7a9531534f7da2e4c303d8a318a72 1c3c0c95956809532fcf0e2449a6b525 b16aedf5aa0de657ba637b39
      """)
    #expect(key.open(sealed, authenticating: bytes("feedfacedeadbeeffeedfacedeadbeef abaddad2")) == plain)
  }

  @Test func whatIsSealedIsWhatSwiftCryptoOpensAndTheOtherWayRound() throws {
    let theirs = SymmetricKey(size: .bits256)
    let ours = try #require(SealingKey(theirs.withUnsafeBytes { Data($0) }))
    for length in [0, 1, 15, 16, 17, 1000, 100_000] {
      let plain = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) })
      let beside = Data("place/\(length)".utf8).prefix(length)
      let sealed = try #require(ours.seal(plain, authenticating: beside))
      #expect(sealed.count == length + 28)
      #expect(try AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: theirs, authenticating: beside) == plain)
      let combined = try #require(try AES.GCM.seal(plain, using: theirs, authenticating: beside).combined)
      #expect(ours.open(combined, authenticating: beside) == plain)
    }
  }

  @Test func anyChangeIsNoticed() throws {
    let (key, beside) = (SealingKey(), Data("place".utf8))
    let sealed = try #require(key.seal(Data("secret".utf8), authenticating: beside))
    for index in sealed.indices {
      var damaged = sealed
      damaged[index] ^= 1
      #expect(key.open(damaged, authenticating: beside) == nil)
    }
    for length in 0..<sealed.count { #expect(key.open(sealed.prefix(length), authenticating: beside) == nil) }
    #expect(key.open(sealed, authenticating: Data("other".utf8)) == nil)
    #expect(key.open(sealed, authenticating: Data()) == nil)
    #expect(SealingKey().open(sealed, authenticating: beside) == nil)
    #expect(key.open(sealed, authenticating: beside) == Data("secret".utf8))
  }

  @Test func slicesAreSealedAndOpenedLikeWholes() throws {
    let key = SealingKey()
    let sealed = try #require(key.seal(Data("..secret".utf8).dropFirst(2), authenticating: Data()))
    #expect(key.open((Data("mark".utf8) + sealed).dropFirst(4), authenticating: Data()) == Data("secret".utf8))
  }

  @Test func noncesAndKeysAreNew() throws {
    let key = SealingKey()
    let nonces = try (0..<100).map { _ in try #require(key.seal(Data(), authenticating: Data())).prefix(12) }
    #expect(Set(nonces).count == 100)
    #expect(SealingKey().bytes != key.bytes)
  }

  @Test(arguments: [0, 16, 31, 33]) func keysHave32Bytes(count: Int) {
    #expect(SealingKey(Data(count: count)) == nil)
    #expect(SealingKey(Data(count: 32))?.bytes == Data(count: 32))
  }
}
