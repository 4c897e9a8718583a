#if Inspector
  /// The start tag that was passed last of those whose `<` is encoded, such as `%3Cwsse%3APassword%3E`.
  struct EncodedTag {
    /// The first byte of the encoded `<`, which says how it is encoded.
    var sign: UInt8 = 0
    /// Where the encoded `<` begins.
    var start = -1
    /// Where the tag's name begins.
    var name = -1
    /// Where the local part of the name begins.
    var local = -1

    init() {}

    init(sign: UInt8, start: Int, name: Int) { (self.sign, self.start, self.name, local) = (sign, start, name, name) }

    /// Notes that a word has been passed, which may be the name's prefix.
    mutating func passPrefix(_ word: Range<Int>, _ text: [UInt8]) {
      guard word.lowerBound == local else { return }
      let colon = text.length(of: ":", at: word.upperBound)
      if colon > 0 { local = word.upperBound + colon }
    }
  }

  /// What follows a name and is encoded, such as JSON in a form, in a query or in a string of JSON, or XML in any of these.
  extension TextRedaction {
    /// Takes the value behind a name where what follows the name at `start` is encoded. The value's end isn't looked for: all that is left of
    /// the parameter, or of the string, is taken.
    mutating func takeEncoded(_ start: Int) {
      var index = start
      while case let length = text.length(of: "\\", at: index), length > 0 { index += length }
      let quote = text.length(of: "\"'", at: index)
      index += quote
      while case let length = text.length(of: " +\t\r\n", at: index), length > 0 { index += length }
      let sign = text.length(of: quote > 0 ? ":" : ":=", at: index)
      guard sign > 0 else { return }
      if text[start] == UInt8(ascii: "%") { return takeValue(at: index + sign, .parameter) }
      // `&` ends nothing here: it begins an entity, or belongs to the value.
      output.append(contentsOf: text[position..<index + sign])
      position = index + sign
      takeBare(.line(column: nil))
    }
  }
#endif
