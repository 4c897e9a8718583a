#if Inspector
  /// The last scanned tag whose `<` is encoded, such as `%3Cwsse%3APassword%3E`.
  struct EncodedTag {
    /// The first byte of the encoded `<`, which tells the encoding: `%`, `\` or `&`.
    var sign: UInt8 = 0
    /// The offset at which the encoded `<` begins.
    var start = -1
    /// The offset at which the tag's name begins.
    var name = -1
    /// The offset at which the local part of the name begins, after a prefix and colon.
    var local = -1

    init() {}

    init(sign: UInt8, start: Int, name: Int) { (self.sign, self.start, self.name, local) = (sign, start, name, name) }

    /// Called after a word has been scanned. If the word is the name's prefix, followed by a colon, `local` moves behind it.
    mutating func passPrefix(_ word: Range<Int>, _ text: [UInt8]) {
      guard word.lowerBound == local else { return }
      let colon = text.length(of: ":", at: word.upperBound)
      if colon > 0 { local = word.upperBound + colon }
    }
  }
#endif
