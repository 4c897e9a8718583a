#if TestKit
  import Foundation
  import NIOCore

  /// Bytes of a body, either held in memory or generated while they are written. Any part can be written.
  enum Payload: Sendable {
    case data(Data)
    case repeating(UInt8, count: Int)
    case pattern(from: Int, count: Int)

    var count: Int {
      switch self {
      case .data(let data): data.count
      case .repeating(_, let count), .pattern(_, let count): max(0, count)
      }
    }

    /// The payload split into its first `count` bytes and the remaining ones. `count` must be between 0 and the payload's length.
    func split(at count: Int) -> (head: Payload, tail: Payload) {
      switch self {
      case .data(let data):
        (.data(data.prefix(count)), .data(data.dropFirst(count)))
      case .repeating(let byte, let total):
        (.repeating(byte, count: count), .repeating(byte, count: total - count))
      case .pattern(let from, let total):
        (.pattern(from: from, count: count), .pattern(from: from &+ count, count: total - count))
      }
    }

    /// Writes bytes from `offset` on to `buffer`: at most `length`, and at most `Payload.pieceLimit`. Returns how many.
    func write(from offset: Int, atMost length: Int, into buffer: inout ByteBuffer) -> Int {
      let length = min(length, count - offset, Payload.pieceLimit)
      switch self {
      case .data(let data):
        let start = data.startIndex + offset
        return buffer.writeBytes(data[start..<start + length])
      case .repeating(let byte, _):
        return buffer.writeRepeatingByte(byte, count: length)
      case .pattern(let from, _):
        let phase = ((from &+ offset) % 26 + 26) % 26
        return buffer.writeBytes(Payload.alphabet[phase..<phase + length])
      }
    }

    /// The most bytes that one call of `write` writes.
    static let pieceLimit = 65536
    private static let alphabet = (0..<pieceLimit + 26).map { UInt8(ascii: "a") + UInt8($0 % 26) }
  }

  extension Reply.Body {
    /// The body as a list of payloads, one for each piece; empty pieces are left out.
    var payloads: [Payload] {
      let all: [Payload] =
        switch self {
        case .none: []
        case .bytes(let data): [.data(data)]
        case .repeating(let byte, let count): [.repeating(byte, count: count)]
        case .pattern(let from, let count): [.pattern(from: from, count: count)]
        case .chunks(let chunks): chunks.map(Payload.data)
        }
      return all.filter { $0.count > 0 }
    }
  }
#endif
