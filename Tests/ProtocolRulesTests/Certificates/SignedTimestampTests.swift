import ProtocolRules
import Testing

struct SignedTimestampTests {
  private static let log = [UInt8](repeating: 7, count: 32)

  private func timestamp(
    version: UInt8 = 0, extensions: [UInt8] = [0xE1, 0xE2], algorithm: [UInt8] = [4, 3], signature: [UInt8] = [1, 2, 3], after: [UInt8] = []
  ) -> [UInt8] {
    let head: [UInt8] = [version] + Self.log + [0, 0, 1, 2, 3, 4, 5, 6]
    let lengths: (extensions: [UInt8], signature: [UInt8]) = ([0, UInt8(extensions.count)], [0, UInt8(signature.count)])
    return head + lengths.extensions + extensions + algorithm + lengths.signature + signature + after
  }

  private func list(_ timestamps: [[UInt8]]) -> [UInt8] {
    let all = timestamps.flatMap { (one: [UInt8]) -> [UInt8] in [0, UInt8(one.count)] + one }
    return [UInt8(all.count >> 8), UInt8(all.count & 0xFF)] + all
  }

  @Test func listIsRead() throws {
    let read = SignedTimestamp.list(list([timestamp(), timestamp(algorithm: [4, 1]), timestamp(algorithm: [2, 3])]))
    #expect(read.map(\.algorithm) == [.ecdsa, .rsa, nil])
    let first = try #require(read.first)
    #expect(first.log == Self.log && first.milliseconds == 0x0102_0304_0506 && first.signature == [1, 2, 3])
  }

  @Test func signedBytesHaveTheEntryAndTheExtensions() throws {
    let timestamp = try #require(SignedTimestamp.list(list([timestamp()])).first)
    let head: [UInt8] = [0, 0, 0, 0, 1, 2, 3, 4, 5, 6]
    #expect(timestamp.signedBytes(for: .certificate([0x30, 0])) == head + [0, 0, 0, 0, 2, 0x30, 0, 0, 2, 0xE1, 0xE2])
    let hash = [UInt8](repeating: 9, count: 32)
    #expect(
      timestamp.signedBytes(for: .precertificate(issuerKeyHash: hash, [0x30, 0]))
        == head + [0, 1] + hash + [0, 0, 2, 0x30, 0, 0, 2, 0xE1, 0xE2])
  }

  @Test func thoseThatAreMalformedOrOfLaterVersionsAreLeftOut() {
    let bad = [timestamp(version: 1), timestamp(after: [0]), Array(timestamp().dropLast()), [], [0]]
    for one in bad { #expect(SignedTimestamp.list(list([one, timestamp()])).count == 1) }
  }

  @Test func malformedListHasNone() {
    let good = list([timestamp()])
    let lists: [[UInt8]] = [[], [0], [0, 0], Array(good.dropLast()), good + [0], [0, 1, 0], [0xFF, 0xFF] + good.dropFirst(2)]
    for bytes in lists {
      #expect(SignedTimestamp.list(bytes).isEmpty)
    }
  }
}
