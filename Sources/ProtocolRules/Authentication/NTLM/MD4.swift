/// The message digest of RFC 1320. Broken for everything except what NTLM derives from a password with it; no library has it any more.
enum MD4 {
  static func hash(_ message: [UInt8]) -> [UInt8] {
    var state: State = (0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476)
    let padded = padding(message)
    var words = [UInt32](repeating: 0, count: 16)
    for block in stride(from: 0, to: padded.count, by: 64) {
      for index in 0..<16 {
        let at = block + index * 4
        words[index] =
          UInt32(padded[at]) | UInt32(padded[at + 1]) << 8 | UInt32(padded[at + 2]) << 16 | UInt32(padded[at + 3]) << 24
      }
      let before = state
      rounds(&state, words)
      state = (state.0 &+ before.0, state.1 &+ before.1, state.2 &+ before.2, state.3 &+ before.3)
    }
    return [state.0, state.1, state.2, state.3].flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
  }

  private typealias State = (UInt32, UInt32, UInt32, UInt32)

  // RFC 1320, 3.1 and 3.2: a one bit, zeros up to 56 modulo 64, the length in bits.
  private static func padding(_ message: [UInt8]) -> [UInt8] {
    var bytes = message + [0x80]
    bytes.append(contentsOf: repeatElement(0, count: (120 - bytes.count % 64) % 64))
    let bits = UInt64(message.count) &* 8
    bytes.append(contentsOf: (0..<8).map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) })
    return bytes
  }

  // RFC 1320, 3.4: three rounds of sixteen steps; each step turns the four words by one place.
  private static func rounds(_ state: inout State, _ words: [UInt32]) {
    for step in 0..<48 {
      let (a, b, c, d) = state
      let place = step % 16
      let mixed: UInt32
      let word: Int
      let shift: UInt32
      switch step / 16 {
      case 0:
        mixed = (b & c) | (~b & d)
        word = place
        shift = [3, 7, 11, 19][place % 4]
      case 1:
        mixed = ((b & c) | (b & d) | (c & d)) &+ 0x5a82_7999
        word = place / 4 + place % 4 * 4
        shift = [3, 5, 9, 13][place % 4]
      default:
        mixed = (b ^ c ^ d) &+ 0x6ed9_eba1
        word = [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15][place]
        shift = [3, 9, 11, 15][place % 4]
      }
      let sum = a &+ mixed &+ words[word]
      state = (d, sum << shift | sum >> (32 - shift), b, c)
    }
  }
}
