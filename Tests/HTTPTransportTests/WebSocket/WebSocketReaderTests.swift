import Foundation
import NIOCore
import ProtocolRules
import Testing

@testable import HTTPTransport

/// The Autobahn test suite's groups as scripts of frames: each is fed whole and byte by byte.
@Suite(.timeLimit(.minutes(10))) struct WebSocketReaderTests {
  private enum Heard: Equatable {
    case text(String)
    case binary([UInt8])
    case ping([UInt8])
    case pong([UInt8])
    case close(UInt16?)
    case violation(WebSocketViolation.Code)
  }

  private static func frame(_ first: UInt8, _ payload: [UInt8] = []) -> [UInt8] {
    switch payload.count {
    case ...125: [first, UInt8(payload.count)] + payload
    default: [first, 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)] + payload
    }
  }

  private static func frame(_ first: UInt8, _ text: String) -> [UInt8] { frame(first, Array(text.utf8)) }

  private func read(_ bytes: [UInt8], in size: Int, limit: Int = 1 << 20, compression: WebSocketCompression? = nil) -> [Heard] {
    var reader = WebSocketReader(maximumMessageSize: limit, compression: compression)
    var heard: [Heard] = []
    var index = 0
    while index < bytes.count {
      let end = min(index + size, bytes.count)
      reader.append(ByteBuffer(bytes: bytes[index..<end]))
      index = end
      do {
        while let event = try reader.next() { heard.append(WebSocketReaderTests.heard(event)) }
      } catch {
        return heard + [.violation(error.code)]
      }
    }
    return heard
  }

  private static func heard(_ event: WebSocketReader.Event) -> Heard {
    switch event {
    case .message(let message) where message.kind == .text: .text(String(buffer: message.bytes))
    case .message(let message): .binary(Array(message.bytes.readableBytesView))
    case .ping(let payload): .ping(Array(payload.readableBytesView))
    case .pong(let payload): .pong(Array(payload.readableBytesView))
    case .close(let close): .close(close.code)
    }
  }

  private func expect(
    _ bytes: [UInt8], _ expected: [Heard], limit: Int = 1 << 20, compression: WebSocketCompression? = nil,
    _ location: SourceLocation = #_sourceLocation
  ) {
    for size in [1, 3, bytes.count] {
      #expect(read(bytes, in: max(1, size), limit: limit, compression: compression) == expected, sourceLocation: location)
    }
  }

  @Test func wholeMessagesAreRead() {
    let long = [UInt8](repeating: 0xFE, count: 65_535)
    expect(Self.frame(0x81) + Self.frame(0x82), [.text(""), .binary([])])
    expect(Self.frame(0x81, "Hello-µ@ßöäüàá-UTF-8!!"), [.text("Hello-µ@ßöäüàá-UTF-8!!")])
    expect(Self.frame(0x82, long) + Self.frame(0x81, "x"), [.binary(long), .text("x")])
  }

  @Test func controlFramesAreRead() {
    expect(Self.frame(0x89) + Self.frame(0x8A, "late"), [.ping([]), .pong(Array("late".utf8))])
    let full = [UInt8](repeating: 7, count: 125)
    expect(Self.frame(0x89, full), [.ping(full)])
    expect([0x89, 126, 0, 126] + full + [7], [.violation(.protocolError)])
  }

  @Test func controlFramesComeBetweenFragments() {
    expect(
      Self.frame(0x01, "one, ") + Self.frame(0x89, "p") + Self.frame(0x00, "two, ") + Self.frame(0x8A) + Self.frame(0x80, "three"),
      [.ping([0x70]), .pong([]), .text("one, two, three")])
  }

  @Test func fragmentsMustFollowARule() {
    expect(Self.frame(0x80, "x"), [.violation(.protocolError)])
    expect(Self.frame(0x00, "x"), [.violation(.protocolError)])
    expect(Self.frame(0x01, "a") + Self.frame(0x81, "b"), [.violation(.protocolError)])
    expect(Self.frame(0x01, "a") + Self.frame(0x80, "b") + Self.frame(0x80, "c"), [.text("ab"), .violation(.protocolError)])
    expect(Self.frame(0x01) + Self.frame(0x00) + Self.frame(0x80), [.text("")])
    expect(Self.frame(0x09, "ping"), [.violation(.protocolError)])
  }

  @Test func reservedBitsAndOpcodesAreRefused() {
    expect(Self.frame(0x81, "x") + Self.frame(0xC1, "y"), [.text("x"), .violation(.protocolError)])
    for first in [0x83, 0x87, 0x8B, 0x8F, 0x91, 0xA1, 0xF1] as [UInt8] { expect(Self.frame(first), [.violation(.protocolError)]) }
  }

  @Test func textIsCheckedAcrossFragmentsAndAsSoonAsItIsWrong() {
    expect(Self.frame(0x01, [0xCE]) + Self.frame(0x80, [0xBA]), [.text("κ")])
    expect(Self.frame(0x81, [0xCE]), [.violation(.invalidPayload)])
    expect(Self.frame(0x01, [0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xF4, 0x90]), [.violation(.invalidPayload)])
    // Half of a frame is enough.
    var reader = WebSocketReader(maximumMessageSize: 100, compression: nil)
    reader.append(ByteBuffer(bytes: [0x81, 20, 0x61, 0xFF]))
    #expect(throws: WebSocketViolation.self) { try reader.next() }
  }

  @Test func closeFramesAreRead() {
    expect(Self.frame(0x88), [.close(nil)])
    expect(Self.frame(0x88, [0x03, 0xE8]), [.close(1000)])
    expect(Self.frame(0x88, [0x03]), [.violation(.protocolError)])
    expect(Self.frame(0x88, [0x03, 0xED]), [.violation(.protocolError)])
    expect(Self.frame(0x88, [0x03, 0xE8, 0xCE]), [.violation(.invalidPayload)])
  }

  @Test func messagesOverTheLimitAreRefusedBeforeTheyHaveCome() {
    expect(Self.frame(0x82, [1, 2, 3, 4]), [.binary([1, 2, 3, 4])], limit: 4)
    var reader = WebSocketReader(maximumMessageSize: 4, compression: nil)
    reader.append(ByteBuffer(bytes: [0x82, 5]))
    #expect(throws: WebSocketViolation.tooBig(4)) { try reader.next() }
    expect(Self.frame(0x02, [1, 2, 3]) + Self.frame(0x80, [4, 5]), [.violation(.messageTooBig)], limit: 4)
  }

  @Test func limitHasALimitOfItsOwn() {
    let header: [UInt8] = [0x82, 127, 0, 0, 0, 0, 0x40, 0, 0, 1]
    #expect(read(header, in: header.count, limit: .max) == [.violation(.messageTooBig)])
  }

  // MARK: compression

  /// RFC 7692, 7.2.3.1 to 7.2.3.5.
  @Test func theRFCsExamplesDecompress() {
    let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
    let terms = WebSocketCompression()
    expect(Self.frame(0xC1, hello), [.text("Hello")], compression: terms)
    expect(Self.frame(0x41, Array(hello[..<3])) + Self.frame(0x80, Array(hello[3...])), [.text("Hello")], compression: terms)
    let again: [UInt8] = [0xF2, 0x00, 0x11, 0x00, 0x00]
    expect(Self.frame(0xC1, hello) + Self.frame(0xC1, again), [.text("Hello"), .text("Hello")], compression: terms)
    let stored: [UInt8] = [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00]
    expect(Self.frame(0xC1, stored), [.text("Hello")], compression: terms)
    let last: [UInt8] = [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]
    expect(Self.frame(0xC1, last) + Self.frame(0xC1, again), [.text("Hello"), .text("Hello")], compression: terms)
    let two: [UInt8] = [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00]
    expect(Self.frame(0xC1, two), [.text("Hello")], compression: terms)
    expect(Self.frame(0xC1, [0x00]), [.text("")], compression: terms)
    expect(Self.frame(0x81, "plain"), [.text("plain")], compression: terms)
  }

  /// RFC 7692, 7.2.3.4: blocks with the BFINAL bit. Later ones refer to what was decompressed before all of them.
  @Test func anyNumberOfFinalBlocksKeepsTheWindow() {
    let hello: [UInt8] = [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
    let empty = (0..<5000).flatMap { _ in [0x03, 0x00] as [UInt8] }
    let again: [UInt8] = [0xF2, 0x00, 0x11, 0x00, 0x00]
    expect(Self.frame(0xC1, hello + empty + again), [.text("HelloHello")], compression: WebSocketCompression())
    expect(
      Self.frame(0xC1, hello + empty + [0x00]) + Self.frame(0xC1, again), [.text("Hello"), .text("Hello")],
      compression: WebSocketCompression())
  }

  /// What a small window has compressed comes back; a server may use a smaller one than agreed on (RFC 7692, 7.1.2.1).
  @Test(arguments: 8...15) func everyWindowDecompresses(bits: Int) throws {
    var (terms, smaller) = (WebSocketCompression(), WebSocketCompression())
    terms.serverWindowBits = bits
    smaller.clientWindowBits = max(9, bits - 1)
    let deflater = try #require(MessageDeflater(smaller))
    let text = String(repeating: "a window of \(bits) bits; ", count: 8)
    var deflated = ByteBuffer()
    #expect(Array(text.utf8).withUnsafeBytes { deflater.deflate($0, isLast: true, into: &deflated) })
    expect(Self.frame(0xC1, Array(deflated.readableBytesView)), [.text(text)], compression: terms)
  }

  @Test func withoutContextEachMessageStandsAlone() {
    var terms = WebSocketCompression()
    terms.serverForgets = true
    let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
    expect(Self.frame(0xC1, hello) + Self.frame(0xC1, hello), [.text("Hello"), .text("Hello")], compression: terms)
    expect(
      Self.frame(0xC1, hello) + Self.frame(0xC1, [0xF2, 0x00, 0x11, 0x00, 0x00]), [.text("Hello"), .violation(.invalidPayload)],
      compression: terms)
  }

  @Test func damagedCompressionIsRefused() {
    expect(Self.frame(0xC1, [0xFF, 0xFF, 0xFF]), [.violation(.invalidPayload)], compression: WebSocketCompression())
  }

  @Test func aBombIsRefusedAtTheLimit() throws {
    let terms = WebSocketCompression()
    let deflater = try #require(MessageDeflater(terms))
    var bomb = ByteBuffer()
    let zeros = [UInt8](repeating: 0, count: 8 << 20)
    #expect(zeros.withUnsafeBytes { deflater.deflate($0, isLast: true, into: &bomb) })
    #expect(bomb.readableBytes < 10_000)
    let frame = Self.frame(0xC2, Array(bomb.readableBytesView))
    #expect(read(frame, in: frame.count, compression: terms) == [.violation(.messageTooBig)])
    #expect(read(frame, in: frame.count, limit: 8 << 20, compression: terms).count == 1)
  }

  @Test func anyLimitBoundsWhatDecompresses() throws {
    let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
    let terms = WebSocketCompression()
    expect(Self.frame(0xC1, hello), [.text("Hello")], limit: .max, compression: terms)
    expect(Self.frame(0xC1, hello), [.text("Hello")], limit: 5, compression: terms)
    expect(Self.frame(0xC1, hello), [.violation(.messageTooBig)], limit: 4, compression: terms)
    expect(Self.frame(0xC1, hello), [.violation(.messageTooBig)], limit: 0, compression: terms)
  }

  @Test func aNewLimitCountsFromTheNextMessage() throws {
    let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
    var reader = WebSocketReader(maximumMessageSize: 100, compression: WebSocketCompression())
    reader.append(ByteBuffer(bytes: Self.frame(0x41, Array(hello[..<5]))))
    #expect(try reader.next() == nil)
    reader.maximumMessageSize = 1
    reader.append(ByteBuffer(bytes: Self.frame(0x80, Array(hello[5...])) + Self.frame(0xC1, hello)))
    guard case .message(let message)? = try reader.next() else { throw WebSocketViolation.tooBig(0) }
    #expect(String(buffer: message.bytes) == "Hello")
    #expect(throws: WebSocketViolation.tooBig(1)) { try reader.next() }
  }
}
