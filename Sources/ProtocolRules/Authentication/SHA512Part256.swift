import Foundation

/// SHA-512/256 (FIPS 180-4, 6.7), which swift-crypto doesn't offer: SHA-512 with initial values of its own, cut to 256 bits.
struct SHA512Part256: Sendable {
  private static let blockSize = 128

  private var state = initialState
  private var pending: [UInt8] = []
  private var length: UInt64 = 0

  mutating func update(_ data: Data) {
    length += UInt64(data.count)
    pending.append(contentsOf: data)
    var start = 0
    while pending.count - start >= SHA512Part256.blockSize {
      compress(pending[start..<(start + SHA512Part256.blockSize)])
      start += SHA512Part256.blockSize
    }
    pending.removeFirst(start)
  }

  func finalized() -> [UInt8] {
    var last = self
    // 5.1.2: a one bit, zeros, and the length in bits, here as a number of 64 of the 128 bits it may have.
    let rest = (pending.count + 1 + 8) % SHA512Part256.blockSize
    let zeros = rest == 0 ? 0 : SHA512Part256.blockSize - rest
    // The length takes sixteen bytes: without room for all of them in this block there is another.
    let padding = zeros < 8 ? zeros + SHA512Part256.blockSize : zeros
    last.update(Data([0x80] + [UInt8](repeating: 0, count: padding) + SHA512Part256.bytes(length << 3)))
    return Array(last.state.flatMap(SHA512Part256.bytes).prefix(32))
  }

  private static func bytes(_ word: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) }
  }

  /// One block (6.4.2).
  private mutating func compress(_ block: ArraySlice<UInt8>) {
    let schedule = SHA512Part256.schedule(block)
    var v = state
    for round in 0..<80 {
      let choice = (v[4] & v[5]) ^ (~v[4] & v[6])
      let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2])
      let upper = v[4].turned(14) ^ v[4].turned(18) ^ v[4].turned(41)
      let lower = v[0].turned(28) ^ v[0].turned(34) ^ v[0].turned(39)
      let first = v[7] &+ upper &+ choice &+ SHA512Part256.constants[round] &+ schedule[round]
      v = [first &+ lower &+ majority, v[0], v[1], v[2], v[3] &+ first, v[4], v[5], v[6]]
    }
    for index in 0..<8 { state[index] &+= v[index] }
  }

  private static func schedule(_ block: ArraySlice<UInt8>) -> [UInt64] {
    var words: [UInt64] = (0..<16).map { word in
      block.dropFirst(word * 8).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    for index in 16..<80 {
      let (early, late) = (words[index - 15], words[index - 2])
      let first = early.turned(1) ^ early.turned(8) ^ (early >> 7)
      let second = late.turned(19) ^ late.turned(61) ^ (late >> 6)
      words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
    }
    return words
  }

  /// 5.3.6.2.
  private static let initialState: [UInt64] = [
    0x22312194fc2bf72c, 0x9f555fa3c84c64c2, 0x2393b86b6f53b151, 0x963877195940eabd, 0x96283ee2a88effe3,
    0xbe5e1e2553863992, 0x2b0199fc2c85b8aa, 0x0eb72ddc81c52ca2,
  ]

  /// 4.2.3: the fractional parts of the cube roots of the first eighty primes.
  private static let constants: [UInt64] = [
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc, 0x3956c25bf348b538,
    0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118, 0xd807aa98a3030242, 0x12835b0145706fbe,
    0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2, 0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235,
    0xc19bf174cf692694, 0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5, 0x983e5152ee66dfab,
    0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725,
    0x06ca6351e003826f, 0x142929670a0e6e70, 0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed,
    0x53380d139d95b3df, 0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30, 0xd192e819d6ef5218,
    0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8, 0x19a4c116b8d2d0c8, 0x1e376c085141ab53,
    0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8, 0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373,
    0x682e6ff3d6b2b8a3, 0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b, 0xca273eceea26619c,
    0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178, 0x06f067aa72176fba, 0x0a637dc5a2c898a6,
    0x113f9804bef90dae, 0x1b710b35131c471b, 0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc,
    0x431d67c49c100d4c, 0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
  ]
}

extension UInt64 {
  /// Rotated to the right.
  fileprivate func turned(_ bits: UInt64) -> UInt64 { (self >> bits) | (self << (64 - bits)) }
}
