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

  /// Redaction where the characters after a name are encoded: JSON in a form, in a query or in a JSON string, or XML in any of these.
  extension TextRedaction {
    /// Redacts the value after a name if the characters that follow the name, at `start`, are an encoded assignment. The value's end isn't
    /// determined: the whole rest of the parameter or string is removed.
    mutating func takeEncoded(_ start: Int) {
      var index = start
      while case let length = text.length(of: "\\", at: index), length > 0 { index += length }
      let quote = text.length(of: "\"'", at: index)
      index += quote
      while case let length = text.length(of: " +\t\r\n", at: index), length > 0 { index += length }
      let sign = text.length(of: quote > 0 ? ":" : ":=", at: index)
      guard sign > 0 else { return }
      if text[start] == UInt8(ascii: "%") { return takeValue(at: index + sign, .parameter) }
      // `&` doesn't end the value here: it begins an entity, or is part of the value.
      output.append(contentsOf: text[position..<index + sign])
      position = index + sign
      takeBare(.line(column: nil))
    }
  }
#endif
