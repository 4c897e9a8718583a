import SeededNumbers

/// Choices that look random and are the same for the same seed.
struct SeededChance: Sendable {
  private var numbers: SeededNumbers

  init(_ seed: UInt64) { numbers = SeededNumbers(seed: seed &* 0x9E37_79B9_7F4A_7C15) }

  mutating func below(_ limit: Int) -> Int { numbers.below(limit) }
  mutating func isOne(in count: Int) -> Bool { below(count) == 0 }
}
