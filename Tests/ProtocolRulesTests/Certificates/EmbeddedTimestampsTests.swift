import ProtocolRules
import Testing

/// Certificates put together by hand, whose fields but for the extensions are of no concern.
struct EmbeddedTimestampsTests {
  private static let identifier: [UInt8] = [0x06, 0x0A, 0x2B, 0x06, 0x01, 0x04, 0x01, 0xD6, 0x79, 0x02, 0x04, 0x02]
  private static let stapleIdentifier = Array(identifier.dropLast()) + [0x05]

  private func sequence(_ parts: [UInt8]...) -> [UInt8] { DERReader.element(0x30, parts.flatMap(\.self)) }

  private func timestamps(_ list: [UInt8], critical: [UInt8] = [], identifier: [UInt8] = identifier) -> [UInt8] {
    sequence(identifier, critical, DERReader.element(0x04, DERReader.element(0x04, list)))
  }

  private func other(_ length: Int) -> [UInt8] {
    sequence([0x06, 0x03, 0x55, 0x1D, 0x0E], DERReader.element(0x04, [UInt8](repeating: 0x55, count: length)))
  }

  private func tbs(_ extensions: [UInt8]...) -> [UInt8] {
    sequence([0xA0, 3, 2, 1, 2], [2, 1, 5], DERReader.element(0xA3, DERReader.element(0x30, extensions.flatMap(\.self))))
  }

  private func certificate(_ tbs: [UInt8]) -> [UInt8] { sequence(tbs, sequence([5, 0]), [3, 2, 0, 1]) }

  @Test(arguments: [1, 100, 117, 118, 119, 130, 240, 250, 256, 60_000, 65_530]) func lengthsShrinkWithTheContent(_ length: Int) throws {
    for list in [[], [UInt8](repeating: 3, count: 5), [UInt8](repeating: 3, count: 300)] {
      let found = try #require(EmbeddedTimestamps(certificate: certificate(tbs(other(length), timestamps(list), other(3)))))
      #expect(found.list == list)
      #expect(found.remainder == tbs(other(length), other(3)))
    }
  }

  @Test func criticalOnesAndThoseThatStandAloneAreFound() throws {
    let found = try #require(EmbeddedTimestamps(certificate: certificate(tbs(timestamps([1, 2], critical: [1, 1, 0xFF])))))
    #expect(found.list == [1, 2] && found.remainder == tbs())
  }

  @Test func certificatesWithoutAndWithTwoListsHaveNone() {
    #expect(EmbeddedTimestamps(certificate: certificate(tbs(other(3)))) == nil)
    #expect(EmbeddedTimestamps(certificate: certificate(tbs(timestamps([1]), timestamps([2])))) == nil)
    #expect(EmbeddedTimestamps(certificate: certificate(tbs(timestamps([1], identifier: Self.stapleIdentifier)))) == nil)
  }

  @Test func whatIsCutOffHasNone() {
    let whole = certificate(tbs(other(3), timestamps([1, 2, 3])))
    for length in 0..<whole.count { #expect(EmbeddedTimestamps(certificate: Array(whole.prefix(length))) == nil) }
  }

  @Test func staplesHaveListsToo() {
    func single(_ extensions: [UInt8]...) -> [UInt8] {
      sequence(
        sequence([2, 1, 1]), [0x80, 0], DERReader.element(0x18, Array("20260101000000Z".utf8)),
        DERReader.element(0xA0, DERReader.element(0x18, Array("20270101000000Z".utf8))),
        DERReader.element(0xA1, DERReader.element(0x30, extensions.flatMap(\.self))))
    }
    func response(_ singles: [UInt8]...) -> [UInt8] {
      let data = sequence(
        DERReader.element(0xA2, [4, 1, 0]), DERReader.element(0x18, Array("20260101000000Z".utf8)), sequence(singles.flatMap(\.self)),
        DERReader.element(0xA1, sequence(sequence([6, 1, 0], [4, 0]))))
      let kind: [UInt8] = [0x06, 0x09, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01, 0x01]
      let basic = sequence(data, sequence([5, 0]), [3, 2, 0, 1])
      return sequence([0x0A, 1, 0], DERReader.element(0xA0, sequence(kind, DERReader.element(0x04, basic))))
    }
    let mark = timestamps([1, 2], identifier: Self.stapleIdentifier)
    #expect(EmbeddedTimestamps.lists(inStaple: response(single(mark))) == [[1, 2]])
    #expect(EmbeddedTimestamps.lists(inStaple: response(single(other(3)), single(other(1), mark))) == [[1, 2]])
    #expect(EmbeddedTimestamps.lists(inStaple: response(single(timestamps([1])))) == [])
    let whole = response(single(mark))
    for length in 0..<whole.count { #expect(EmbeddedTimestamps.lists(inStaple: Array(whole.prefix(length))).isEmpty) }
  }
}
