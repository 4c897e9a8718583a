import Foundation
import NIOCore
import ProtocolRules
import SeededNumbers
import Testing

@testable import HTTPTransport

/// Exchanges of messages made of a seed: whatever the fragments, the control frames between them, the compression and the pieces in which
/// bytes arrive, the messages are the same. A failure names its seed.
@Suite(.timeLimit(.minutes(10))) struct WebSocketRandomTests {
  private enum Event: Hashable {
    case message(WebSocketMessage.Kind, Data)
    case ping(Data)
    case pong(Data)
  }

  private static func frame(_ first: UInt8, _ payload: some Collection<UInt8>) -> [UInt8] {
    let count = payload.count
    let length: [UInt8] =
      switch count {
      case ...125: [UInt8(count)]
      case ...65_535: [126, UInt8(count >> 8), UInt8(count & 0xFF)]
      default: [127] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
      }
    return [first] + length + payload
  }

  private static func terms(_ dice: inout SeededNumbers) -> WebSocketCompression? {
    guard Bool.random(using: &dice) else { return nil }
    var terms = WebSocketCompression()
    terms.serverWindowBits = Int.random(in: 9...15, using: &dice)
    terms.serverForgets = Bool.random(using: &dice)
    (terms.clientWindowBits, terms.clientForgets) = (terms.serverWindowBits, terms.serverForgets)
    return terms
  }

  private static func payload(_ kind: WebSocketMessage.Kind, _ dice: inout SeededNumbers) -> Data {
    let count = [0, 1, 100, 2000, 70_000].randomElement(using: &dice).map { $0 == 0 ? 0 : Int.random(in: 1...$0, using: &dice) } ?? 0
    guard kind == .text else { return Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &dice) }) }
    let words = ["a", "ß", "€", "😀", " the ", "\n"]
    return Data((0..<(count / 3)).flatMap { _ in (words.randomElement(using: &dice) ?? "").utf8 })
  }

  /// An exchange of messages as bytes, and the events that they must cause.
  private static func conversation(_ dice: inout SeededNumbers, _ terms: WebSocketCompression?) -> (bytes: [UInt8], events: [Event]) {
    var (bytes, events): ([UInt8], [Event]) = ([], [])
    let deflater = terms.flatMap { MessageDeflater($0) }
    func control() {
      while Int.random(in: 0..<3, using: &dice) == 0 {
        let payload = Data((0..<Int.random(in: 0...125, using: &dice)).map { _ in UInt8.random(in: .min ... .max, using: &dice) })
        let isPing = Bool.random(using: &dice)
        bytes += frame(isPing ? 0x89 : 0x8A, payload)
        events.append(isPing ? .ping(payload) : .pong(payload))
      }
    }
    for _ in 0..<Int.random(in: 1...6, using: &dice) {
      let kind: WebSocketMessage.Kind = Bool.random(using: &dice) ? .text : .binary
      let payload = payload(kind, &dice)
      var (wire, first) = (Array(payload), UInt8(kind == .text ? 1 : 2))
      // Nothing at all isn't what a flush makes of it (RFC 7692, 7.2.3.6).
      if let deflater, !payload.isEmpty, Bool.random(using: &dice) {
        var deflated = ByteBuffer()
        _ = payload.withUnsafeBytes { deflater.deflate($0, isLast: true, into: &deflated) }
        (wire, first) = (Array(deflated.readableBytesView), first | 0x40)
      }
      control()
      var rest = wire[...]
      while Int.random(in: 0..<3, using: &dice) != 0 {
        let count = Int.random(in: 0...rest.count, using: &dice)
        bytes += frame(first, rest.prefix(count))
        (rest, first) = (rest.dropFirst(count), 0)
        control()
      }
      bytes += frame(first | 0x80, rest)
      events.append(.message(kind, payload))
    }
    return (bytes, events)
  }

  /// What a reader makes of the bytes, in pieces; nil for the violation that ends it.
  private static func heard(_ bytes: [UInt8], _ terms: WebSocketCompression?, _ dice: inout SeededNumbers) -> [Event?] {
    var reader = WebSocketReader(maximumMessageSize: 1 << 20, compression: terms)
    var (events, index): ([Event?], Int) = ([], 0)
    let largest = bytes.count > 5000 ? [1000, 100_000].randomElement(using: &dice) ?? 1 : [1, 7, 1000].randomElement(using: &dice) ?? 1
    while index < bytes.count {
      let end = min(bytes.count, index + Int.random(in: 1...largest, using: &dice))
      reader.append(ByteBuffer(bytes: bytes[index..<end]))
      index = end
      do {
        while let event = try reader.next() {
          switch event {
          case .message(let message): events.append(.message(message.kind, Data(message.bytes.readableBytesView)))
          case .ping(let payload): events.append(.ping(Data(payload.readableBytesView)))
          case .pong(let payload): events.append(.pong(Data(payload.readableBytesView)))
          case .close: return events + [nil]
          }
        }
      } catch {
        return events + [nil]
      }
    }
    return events
  }

  @Test func messagesArriveAsTheyWereSent() {
    for seed in 0..<60 as Range<UInt64> {
      var dice = SeededNumbers(seed: seed)
      let terms = Self.terms(&dice)
      let (bytes, events) = Self.conversation(&dice, terms)
      let isSame = Self.heard(bytes, terms, &dice) == events
      #expect(isSame, "seed \(seed), \(String(describing: terms))")
    }
  }

  @Test func damagedStreamsEndOrStayWithinTheirLimits() {
    for seed in 1000..<1060 as Range<UInt64> {
      var dice = SeededNumbers(seed: seed)
      let terms = Self.terms(&dice)
      var (bytes, _) = Self.conversation(&dice, terms)
      for _ in 0..<3 { bytes[Int.random(in: bytes.indices, using: &dice)] ^= UInt8(1 << Int.random(in: 0..<8, using: &dice)) }
      for event in Self.heard(bytes, terms, &dice) {
        guard case .message(let kind, let payload)? = event else { continue }
        let isSound = payload.count <= 1 << 20 && (kind == .binary || String(validating: payload, as: UTF8.self) != nil)
        #expect(isSound, "seed \(seed)")
      }
    }
  }
}
