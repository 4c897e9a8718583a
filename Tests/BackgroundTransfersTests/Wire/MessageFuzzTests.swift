import BackgroundTransfers
import Foundation
import Testing

/// A peer that sends anything. Each message is decoded or refused; what would trap, end the test program.
@Suite(.timeLimit(.minutes(10))) struct MessageFuzzTests {
  /// SplitMix64: the same numbers in every run.
  private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }

    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(max(1, limit))) }
  }

  private static let parts = 4
  private static let count = ProcessInfo.processInfo.environment["FUZZ_MESSAGES"].flatMap { Int($0) } ?? 100_000

  @Test(arguments: 0..<parts) func mutatedMessagesAreDecodedOrRefused(_ part: Int) throws {
    var numbers = Numbers(state: UInt64(part) &* 7919 &+ 16)
    let samples = try SampleMessages.app.map { [UInt8](try MessageCoding.encode($0)) }
    var (decoded, refused) = (0, 0)
    while decoded + refused < Self.count / Self.parts {
      let message = Self.mutated(samples, &numbers)
      do {
        _ = try MessageCoding.decode(AppMessage.self, from: Data(message))
        decoded += 1
      } catch {
        #expect(error.reason == .badMessage)
        refused += 1
      }
    }
    // Both ways out are taken, or the mutations are of no use.
    #expect(decoded > 0 && refused > 0)
  }

  @Test(arguments: 0..<parts) func mutatedStreamsEndOrGoOn(_ part: Int) throws {
    var numbers = Numbers(state: UInt64(part) &* 104_729 &+ 1)
    let samples = try SampleMessages.app.map { [UInt8](try MessageCoding.encode($0)) }
    var (messages, damaged) = (0, 0)
    for _ in 0..<Self.count / Self.parts / 10 {
      var stream = (0..<3).flatMap { _ in BarePeer.frame(samples[numbers.below(samples.count)]) }
      for _ in 0..<numbers.below(3) { Self.mutate(&stream, samples, &numbers) }
      var (reader, start) = (FrameReader(), 0)
      while start < stream.count {
        let end = min(stream.count, start + 1 + numbers.below(200))
        for message in stream[start..<end].withUnsafeBytes({ reader.take($0) }) {
          _ = try? MessageCoding.decode(AppMessage.self, from: message)
          messages += 1
        }
        start = end
      }
      if reader.damage != nil { damaged += 1 }
    }
    #expect(messages > 0 && damaged > 0)
  }

  private static func mutated(_ samples: [[UInt8]], _ numbers: inout Numbers) -> [UInt8] {
    var message = samples[numbers.below(samples.count)]
    for _ in 0...numbers.below(4) { mutate(&message, samples, &numbers) }
    return message
  }

  private static func mutate(_ bytes: inout [UInt8], _ samples: [[UInt8]], _ numbers: inout Numbers) {
    let place = numbers.below(bytes.count + 1)
    switch numbers.below(6) {
    case 0: if place < bytes.count { bytes[place] ^= 1 << UInt8(numbers.below(8)) }
    case 1: bytes.removeSubrange(place...)
    case 2:
      let other = samples[numbers.below(samples.count)]
      bytes = Array(bytes[..<place]) + other[numbers.below(other.count)...]
    case 3: bytes.insert(UInt8(numbers.below(256)), at: place)
    case 4: bytes.removeSubrange(place..<min(bytes.count, place + numbers.below(8)))
    default: bytes.replaceSubrange(place..<min(bytes.count, place + 1), with: Array(tokens[numbers.below(tokens.count)].utf8))
    }
  }

  /// What JSON is made of, and what its readers get wrong.
  private static let tokens = [
    "{", "}", "[", "]", ":", ",", "\"", "\\", "\\u0000", "\\uD800", "\\uDC00\\uD800", "null", "true", "0", "-", "1e999", "-1e-999", "1E+",
    "9223372036854775808", "0x1", "NaN", "\"inf\"", "\"nan\"", "\u{0}", "\u{FEFF}", "//", "\"_0\":", "[[[[[[[[", "{\"a\":{\"b\":[",
    "\"====\"",
  ]
}
