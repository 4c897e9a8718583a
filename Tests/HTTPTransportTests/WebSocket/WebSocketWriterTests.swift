import Foundation
import NIOCore
import ProtocolRules
import Testing

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10))) struct WebSocketWriterTests {
  /// What the writer wrote, unmasked and without the mask bit: as a server would have sent it.
  private func unmasked(_ buffer: ByteBuffer) throws -> (bytes: [UInt8], frames: Int) {
    let input = Array(buffer.readableBytesView)
    var (output, index, frames): ([UInt8], Int, Int) = ([], 0, 0)
    while index < input.count {
      try #require(input[index + 1] & 0x80 != 0)
      let short = Int(input[index + 1] & 0x7F)
      let width = short == 126 ? 2 : short == 127 ? 8 : 0
      let length = width == 0 ? short : input[(index + 2)..<(index + 2 + width)].reduce(0) { $0 << 8 | Int($1) }
      output.append(input[index])
      output.append(UInt8(short))
      output += input[(index + 2)..<(index + 2 + width)]
      let start = index + 2 + width
      let key = input[start..<(start + 4)]
      output += (0..<length).map { input[start + 4 + $0] ^ key[start + $0 % 4] }
      index = start + 4 + length
      frames += 1
    }
    return (output, frames)
  }

  private func write(_ contents: [WebSocketContent], _ compression: WebSocketCompression? = nil) -> ByteBuffer {
    var (writer, buffer) = (WebSocketWriter(compression: compression), ByteBuffer())
    for content in contents {
      var progress: WebSocketWriter.Progress?
      repeat { progress = writer.write(content, progress, into: &buffer) } while progress != nil
    }
    return buffer
  }

  private func readBack(_ buffer: ByteBuffer, _ compression: WebSocketCompression? = nil) throws -> [Data] {
    var reader = WebSocketReader(maximumMessageSize: 1 << 26, compression: compression)
    reader.append(ByteBuffer(bytes: try unmasked(buffer).bytes))
    var messages: [Data] = []
    while let event = try reader.next() {
      if case .message(let message) = event { messages.append(Data(message.bytes.readableBytesView)) }
    }
    return messages
  }

  @Test(arguments: [0, 1, 125, 126, 65_535, 65_536, 262_144, 262_145, 1_000_000])
  func messagesOfAnyLengthComeBack(count: Int) throws {
    let payload = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let buffer = write([.binary(payload), .text("end")])
    #expect(try readBack(buffer) == [payload, Data("end".utf8)])
    #expect(try unmasked(buffer).frames == max(1, (count + 262_143) / 262_144) + 1)
  }

  @Test func keysDiffer() {
    let buffer = write([.text("a"), .text("a"), .text("a")])
    let bytes = Array(buffer.readableBytesView)
    let keys: [[UInt8]] = [Array(bytes[2..<6]), Array(bytes[9..<13]), Array(bytes[16..<20])]
    #expect(Set(keys).count == 3)
  }

  @Test(arguments: 9...15, [false, true])
  func compressedMessagesComeBack(bits: Int, forgets: Bool) throws {
    var terms = WebSocketCompression()
    (terms.clientWindowBits, terms.clientForgets) = (bits, forgets)
    // What one side writes the other reads.
    (terms.serverWindowBits, terms.serverForgets) = (bits, forgets)
    let text = String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 40)
    let noise = Data((0..<270_000).map { _ in UInt8.random(in: .min ... .max) })
    let buffer = write([.text(text), .text("short"), .text(text), .binary(noise), .text(text)], terms)
    #expect(try readBack(buffer, terms) == [Data(text.utf8), Data("short".utf8), Data(text.utf8), noise, Data(text.utf8)])
    #expect(write([.text(text)], terms).readableBytes < 200)
  }

  @Test func aWindowThatZlibHasNotMeansNoCompression() throws {
    var terms = WebSocketCompression()
    terms.clientWindowBits = 8
    let text = String(repeating: "a", count: 5000)
    let buffer = write([.text(text)], terms)
    #expect(buffer.readableBytes > 5000)
    #expect(try readBack(buffer, terms) == [Data(text.utf8)])
  }
}
