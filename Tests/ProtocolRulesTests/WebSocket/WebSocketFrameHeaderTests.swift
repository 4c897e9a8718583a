import Testing

@testable import ProtocolRules

@Suite struct WebSocketFrameHeaderTests {
  private func parse(_ bytes: [UInt8], compressed: Bool = false) throws -> (header: WebSocketFrameHeader, size: Int)? {
    try bytes.withUnsafeBytes { try WebSocketFrameHeader.parse($0, permitsCompression: compressed) }
  }

  private func code(_ bytes: [UInt8], compressed: Bool = false) -> WebSocketViolation.Code? {
    do {
      _ = try parse(bytes, compressed: compressed)
      return nil
    } catch {
      return (error as? WebSocketViolation)?.code
    }
  }

  @Test(arguments: [(0, 2), (125, 2), (126, 4), (0xFFFF, 4), (0x10000, 10), (1 << 40, 10)])
  func lengthsAreReadInTheirThreeForms(length: Int, size: Int) throws {
    var bytes: [UInt8] = [0x82]
    switch size {
    case 2: bytes.append(UInt8(length))
    case 4: bytes += [126, UInt8(length >> 8), UInt8(length & 0xFF)]
    default: bytes += [127] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: length >> ($0 * 8)) }
    }
    let parsed = try #require(try parse(bytes))
    #expect(parsed.size == size)
    #expect(parsed.header == WebSocketFrameHeader(.binary, length: length))
    for count in 0..<size { #expect(try parse(Array(bytes[..<count])) == nil) }
  }

  @Test func lengthsInMoreBytesThanNeededAreRefused() {
    #expect(code([0x82, 126, 0, 125]) == .protocolError)
    #expect(code([0x82, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]) == .protocolError)
    #expect(code([0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0]) == .protocolError)
  }

  @Test(arguments: [UInt8(0x90), 0xA0, 0xB0, 0xC1, 0xF1, 0xC8])
  func reservedBitsAreRefusedAtOnce(first: UInt8) { #expect(code([first]) == .protocolError) }

  @Test func reservedBitOneMarksCompressedMessagesOnlyWhereAgreed() throws {
    #expect(try parse([0xC1, 0], compressed: true)?.header.isCompressed == true)
    #expect(code([0xC0, 0], compressed: true) == .protocolError)
    #expect(code([0xC9, 0], compressed: true) == .protocolError)
    #expect(code([0xE1, 0], compressed: true) == .protocolError)
  }

  @Test(arguments: [UInt8(3), 4, 5, 6, 7, 11, 12, 13, 14, 15])
  func unknownOpcodesAreRefusedAtOnce(opcode: UInt8) { #expect(code([0x80 | opcode]) == .protocolError) }

  @Test func controlFramesAreShortAndWhole() {
    #expect(code([0x89, 125]) == nil)
    #expect(code([0x89, 126]) == .protocolError)
    #expect(code([0x09]) == .protocolError)
  }

  @Test func maskedFramesOfAServerAreRefused() { #expect(code([0x81, 0x80]) == .protocolError) }

  @Test(arguments: [0, 1, 125, 126, 65_535, 65_536])
  func writtenHeadersAreMaskedAndMinimal(length: Int) {
    let bytes = [UInt8](unsafeUninitializedCapacity: WebSocketFrameHeader.longest) { target, count in
      count = WebSocketFrameHeader(.text, isFinal: false, length: length).write(key: 0x0403_0201, to: UnsafeMutableRawBufferPointer(target))
    }
    #expect(bytes[0] == 0x01)
    #expect(bytes[1] & 0x80 != 0)
    #expect(bytes.count == (length <= 125 ? 6 : length <= 65_535 ? 8 : 14))
    #expect(Array(bytes.suffix(4)) == withUnsafeBytes(of: UInt32(0x0403_0201)) { Array($0) })
  }

  @Test func maskingCombinesEachByteWithItsByteOfTheKey() {
    for count in [0, 1, 3, 4, 7, 8, 31, 32, 33, 63, 100] {
      let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      var masked = [UInt8](repeating: 0, count: count)
      let key = UInt32(0xDEAD_BEEF)
      plain.withUnsafeBytes { plain in masked.withUnsafeMutableBytes { WebSocketMask.copy(plain, to: $0, key: key) } }
      let keyBytes = withUnsafeBytes(of: key) { Array($0) }
      #expect(masked == plain.enumerated().map { $1 ^ keyBytes[$0 & 3] })
    }
  }
}
