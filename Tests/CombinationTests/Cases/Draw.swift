import SeededNumbers

/// Chance that is the same for the same seed.
struct Draw: RandomNumberGenerator, Sendable {
  private var numbers: SeededNumbers

  init(seed: UInt64) { numbers = SeededNumbers(seed: seed &* 0xD134_2543_DE82_EF95 &+ 1) }

  mutating func next() -> UInt64 { numbers.next() }

  mutating func below(_ limit: Int) -> Int { numbers.below(limit) }

  mutating func happens(oneIn count: Int) -> Bool { below(count) == 0 }
}
