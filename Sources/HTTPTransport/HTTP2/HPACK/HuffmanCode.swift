/// HPACK's Huffman code (RFC 7541, 5.2 and appendix B). The code is canonical: the lengths of its words say everything.
struct HuffmanCode: Sendable {
  static let shared = HuffmanCode()

  private static let endOfString = 256
  /// Bits in the code word of each byte, and of the end of a string.
  private static let lengths: [UInt8] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28,
    28, 28, 28, 28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
    5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7,
    7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
    15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7,
    7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
    24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21,
    23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24,
    21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
    26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
  ]

  /// What four bits do at a node of the code's tree. No word is shorter than five bits, so they end at most one.
  private struct Step {
    /// The inner node that is reached; the root (0) after the last bit of a word.
    var node: UInt8 = 0
    var symbol: UInt8 = 0
    var endsWord = false
    /// The bits belong to no word, or to the end-of-string symbol, which must not occur in a string (5.2).
    var isInvalid = false
  }

  private let words: [UInt32]
  private let steps: [Step]
  /// For each node, whether a string may end there: the padding is at most seven ones (5.2).
  private let endings: [Bool]

  private init() {
    words = HuffmanCode.canonicalWords()
    let tree = Tree(words, HuffmanCode.lengths)
    steps = tree.steps()
    endings = tree.endings()
  }

  private static func canonicalWords() -> [UInt32] {
    var words = [UInt32](repeating: 0, count: lengths.count)
    let order = lengths.indices.sorted { (lengths[$0], $0) < (lengths[$1], $1) }
    var word: UInt32 = 0
    var length = lengths[order[0]]
    for symbol in order {
      word <<= UInt32(lengths[symbol] - length)
      length = lengths[symbol]
      words[symbol] = word
      word += 1
    }
    return words
  }

  /// The code as a binary tree, from which the steps are made.
  private struct Tree {
    /// The two children of each inner node: the index of an inner node, or -1 - symbol; nil until it is set.
    private var children: [(Int?, Int?)] = [(nil, nil)]

    init(_ words: [UInt32], _ lengths: [UInt8]) {
      for symbol in words.indices {
        var node = 0
        for bit in (0..<lengths[symbol]).reversed() {
          let isOne = words[symbol] >> UInt32(bit) & 1 == 1
          if bit == 0 { set(node, isOne, -1 - symbol) } else { node = grow(node, isOne) }
        }
      }
    }

    private func child(_ node: Int, _ isOne: Bool) -> Int? { isOne ? children[node].1 : children[node].0 }

    private mutating func set(_ node: Int, _ isOne: Bool, _ child: Int) {
      if isOne { children[node].1 = child } else { children[node].0 = child }
    }

    private mutating func grow(_ node: Int, _ isOne: Bool) -> Int {
      if let child = child(node, isOne) { return child }
      children.append((nil, nil))
      set(node, isOne, children.count - 1)
      return children.count - 1
    }

    func steps() -> [Step] {
      children.indices.flatMap { node in (0..<16).map { bits in step(node, bits) } }
    }

    private func step(_ start: Int, _ bits: Int) -> Step {
      var step = Step()
      var node = start
      for bit in (0..<4).reversed() {
        let next = child(node, bits >> bit & 1 == 1) ?? (-1 - HuffmanCode.endOfString)
        guard next < 0 else {
          node = next
          continue
        }
        let symbol = -1 - next
        if symbol == HuffmanCode.endOfString {
          step.isInvalid = true
          return step
        }
        step.symbol = UInt8(symbol)
        step.endsWord = true
        node = 0
      }
      step.node = UInt8(node)
      return step
    }

    func endings() -> [Bool] {
      var endings = [Bool](repeating: false, count: children.count)
      var node = 0
      for _ in 0..<8 {
        endings[node] = true
        guard let next = child(node, true), next > 0 else { break }
        node = next
      }
      return endings
    }
  }

  // MARK: decoding

  /// The most bytes that `count` bytes of code can decode to.
  static func decodedBound(_ count: Int) -> Int { count * 8 / 5 + 1 }

  /// - Parameter output: Room for `decodedBound` of the input.
  /// - Returns: Bytes written; nil if the input isn't well-formed.
  func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Int? {
    var count = 0
    var node = 0
    var isInvalid = false
    steps.withUnsafeBufferPointer { steps in
      for byte in input {
        let first = steps[node << 4 | Int(byte >> 4)]
        if first.endsWord {
          output[count] = first.symbol
          count += 1
        }
        let second = steps[Int(first.node) << 4 | Int(byte & 0xF)]
        if second.endsWord {
          output[count] = second.symbol
          count += 1
        }
        node = Int(second.node)
        isInvalid = isInvalid || first.isInvalid || second.isInvalid
      }
    }
    return isInvalid || !endings[node] ? nil : count
  }

  // MARK: encoding

  /// Bytes of `text` in this code.
  func encodedLength(_ text: UnsafeRawBufferPointer) -> Int {
    var bits = 0
    for byte in text { bits += Int(HuffmanCode.lengths[Int(byte)]) }
    return (bits + 7) / 8
  }

  /// Writes `text` in this code; `output` has room for it.
  func encode(_ text: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) {
    var pending: UInt64 = 0
    var bits: UInt64 = 0
    var count = 0
    for byte in text {
      let length = UInt64(HuffmanCode.lengths[Int(byte)])
      pending = pending << length | UInt64(words[Int(byte)])
      bits += length
      while bits >= 8 {
        bits -= 8
        output[count] = UInt8(truncatingIfNeeded: pending >> bits)
        count += 1
      }
    }
    // 5.2: padded with the most significant bits of the end of a string, which are ones.
    if bits > 0 { output[count] = UInt8(truncatingIfNeeded: pending << (8 - bits)) | UInt8(0xFF) >> bits }
  }
}
