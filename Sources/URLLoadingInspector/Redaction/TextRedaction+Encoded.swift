#if Inspector
  /// The start tag that was passed last of those whose `<` is encoded, such as `%3Cwsse%3APassword%3E`.
  struct EncodedTag {
    /// The first byte of the encoded `<`, which says how it is encoded.
    var sign: UInt8 = 0
    /// Where the tag's name begins.
    var name = -1
    /// Where the local part of the name begins.
    var local = -1

    init() {}

    init(sign: UInt8, name: Int) { (self.sign, self.name, local) = (sign, name, name) }

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

    /// Takes the content of the element in whose encoded start tag the position is, behind the name. Attributes are taken as well.
    /// - Returns: Whether it is one.
    mutating func takeEncodedElement() -> Bool {
      let close = text.length(of: ">", at: position)
      guard close > 0 || text.length(of: " +\t\r\n", at: position) > 0 else { return false }
      let end = endOfEncodedElement(position + close, name: text[encodedTag.name..<position])
      output.append(contentsOf: text[position..<position + close])
      guard end > position + close else {
        position += close
        return true
      }
      position = end
      write()
      return true
    }

    /// Where the encoded end tag of an element is; else where the text ends that the element is in.
    private func endOfEncodedElement(_ start: Int, name: ArraySlice<UInt8>) -> Int {
      var (index, depth) = (start, 1)
      while index < text.count, !isEndOfElements(index) {
        let open = text.length(of: "<", at: index)
        if open > 1 {
          let slash = text.startsWith(#"\/"#, at: index + open) ? 2 : text.length(of: "/", at: index + open)
          if isName(name, at: index + open + slash) { depth += slash > 0 ? -1 : 1 }
          if depth == 0 { return index }
        }
        index += text.encoded(at: index)?.length ?? 1
      }
      return index
    }

    private func isName(_ name: ArraySlice<UInt8>, at index: Int) -> Bool {
      let end = index + name.count
      guard end <= text.count, text[index..<end].elementsEqual(name, by: { $0 == $1 || $0 | 0x20 == $1 | 0x20 }) else { return false }
      return end == text.count || !isName(end)
    }

    /// Whether text ends at `index` that has elements with encoded tags.
    private func isEndOfElements(_ index: Int) -> Bool {
      switch encodedTag.sign {
      case UInt8(ascii: "%"): isEnd(index, .parameter)
      case UInt8(ascii: "&"): isURL ? isEnd(index, .parameter) : text[index] == UInt8(ascii: "<")
      default: isEnd(index, .line(column: nil))
      }
    }
  }
#endif
