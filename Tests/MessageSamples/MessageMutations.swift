import SeededNumbers

/// Changes messages into what a peer that is broken, or hostile, might send: the same in every run.
package struct MessageMutations: RandomNumberGenerator {
  private var numbers: SeededNumbers

  package init(seed: UInt64) { numbers = SeededNumbers(seed: seed) }

  package mutating func next() -> UInt64 { numbers.next() }

  package mutating func below(_ limit: Int) -> Int { numbers.below(limit) }

  /// One of the samples, changed in one to four places.
  package mutating func mutated(_ samples: [[UInt8]]) -> [UInt8] {
    var message = samples[below(samples.count)]
    for _ in 0...below(4) { mutate(&message, samples) }
    return message
  }

  package mutating func mutate(_ bytes: inout [UInt8], _ samples: [[UInt8]]) {
    let place = below(bytes.count + 1)
    switch below(6) {
    case 0: if place < bytes.count { bytes[place] ^= 1 << UInt8(below(8)) }
    case 1: bytes.removeSubrange(place...)
    case 2:
      let other = samples[below(samples.count)]
      bytes = Array(bytes[..<place]) + other[below(other.count)...]
    case 3: bytes.insert(UInt8(below(256)), at: place)
    case 4: bytes.removeSubrange(place..<min(bytes.count, place + below(8)))
    default:
      bytes.replaceSubrange(
        place..<min(bytes.count, place + 1), with: Array(MessageMutations.tokens[below(MessageMutations.tokens.count)].utf8))
    }
  }

  /// What JSON is made of, and what its readers get wrong.
  private static let tokens = [
    "{", "}", "[", "]", ":", ",", "\"", "\\", "\\u0000", "\\uD800", "\\uDC00\\uD800", "null", "true", "0", "-", "1e999", "-1e-999", "1E+",
    "9223372036854775808", "0x1", "NaN", "\"inf\"", "\"nan\"", "\u{0}", "\u{FEFF}", "//", "\"_0\":", "[[[[[[[[", "{\"a\":{\"b\":[",
    "\"====\"",
  ]
}
