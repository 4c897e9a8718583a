#if Inspector
  extension TextRedaction {
    /// Bytes behind a tag's name, at most: what is longer is something else between two signs.
    private static let attributesLimit = 4096

    /// Where a name of XML begins whose local part is at `index`; nil if that isn't behind a `<`.
    func startOfTag(before index: Int) -> Int? {
      var start = index
      if start > 0, text[start - 1] == UInt8(ascii: ":") {
        start -= 1
        while start > 0, isName(start - 1) || text[start - 1] == UInt8(ascii: "-") || text[start - 1] == UInt8(ascii: ".") { start -= 1 }
      }
      return start > 0 && text[start - 1] == UInt8(ascii: "<") ? start : nil
    }

    /// Finds the content of the element in whose start tag the position is, behind the name that begins at `tag`. The tag's attributes are text
    /// like any other.
    /// - Returns: Whether it is a start tag, and not a comparison of a program, such as `i<token;`.
    mutating func noteElement(_ tag: Int) -> Bool {
      guard position < text.count, text.isEndOfTagName(at: position), let close = tagEnds.first(">", in: text, from: position),
        close - position <= TextRedaction.attributesLimit
      else { return false }
      let (name, begin) = (text[tag..<position], close + 1)
      guard areAttributes(position..<close) || endTags.follow(begin, name: name, in: text) else { return false }
      guard text[close - 1] != UInt8(ascii: "/") else { return true }
      // A placeholder, or the argument of a type as in `Promise<Token>`, has no end tag; nor has an element whose text was cut off.
      if isCut || endTags.follow(begin, name: name, in: text) {
        element = (begin, text.endOfElement(begin, name: name))
      } else {
        element = (begin, endOfLine(begin))
      }
      return true
    }

    static func isEndOfTagName(_ byte: UInt8) -> Bool {
      switch byte {
      case 0...0x20, UInt8(ascii: ">"), UInt8(ascii: "/"), UInt8(ascii: "\\"): true
      default: false
      }
    }

    private func areAttributes(_ range: Range<Int>) -> Bool {
      var quote: UInt8?
      for byte in text[range] {
        if let open = quote {
          if byte == open { quote = nil }
          continue
        }
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
        case UInt8(ascii: ";"), UInt8(ascii: "("), UInt8(ascii: "{"), UInt8(ascii: "<"): return false
        default: break
        }
      }
      return true
    }

    /// Where the line ends, or what the text is in: a string, an element.
    func endOfLine(_ start: Int) -> Int {
      var end = start
      while end < text.count, text[end] != UInt8(ascii: "<"), !isEnd(end, .line(column: nil)) { end += 1 }
      return end
    }
  }

  /// Where the last end tags of a text are, by their names. Asked for the first time, it looks through the whole text.
  struct EndTags {
    private static let nameLimit = 256

    private var places: [Int: Int]?

    /// Whether there may be an end tag of this name at `start`, or behind it.
    /// - Parameter isEncoded: Whether its `<` is an entity.
    mutating func follow(_ start: Int, name: ArraySlice<UInt8>, isEncoded: Bool = false, in text: [UInt8]) -> Bool {
      guard name.count <= EndTags.nameLimit else { return true }
      let places = places ?? EndTags.places(in: text)
      self.places = places
      return places[EndTags.key(name, isEncoded)].map { $0 >= start } ?? false
    }

    private static func places(in text: [UInt8]) -> [Int: Int] {
      var places: [Int: Int] = [:]
      for index in text.indices {
        if text[index] == UInt8(ascii: "<"), let length = text.lengthOfEndTag(at: index) {
          places[key(name(at: index + length, in: text), false)] = index
        } else if text[index] == UInt8(ascii: "&"), let (byte, length) = text.encoded(at: index), byte == UInt8(ascii: "<") {
          let (slash, begin) = text.nameOfEncodedTag(behind: index + length)
          if slash > 0 { places[key(name(at: begin, in: text), true)] = index }
        }
      }
      return places
    }

    private static func name(at index: Int, in text: [UInt8]) -> ArraySlice<UInt8> {
      text[index...].prefix(nameLimit).prefix {
        !TextRedaction.isEndOfTagName($0) && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: "&")
      }
    }

    /// The same for names that differ in case alone.
    private static func key(_ name: ArraySlice<UInt8>, _ isEncoded: Bool) -> Int {
      var hasher = Hasher()
      hasher.combine(isEncoded)
      for byte in name { hasher.combine(byte | 0x20) }
      return hasher.finalize()
    }
  }

  extension [UInt8] {
    /// Where the content ends that begins at `start`: at the end tag of its element, else at the text's end. Elements of the same name may be
    /// inside; end tags in comments and CDATA sections aren't any.
    func endOfElement(_ start: Int, name: ArraySlice<UInt8>) -> Int {
      var (index, depth) = (start, 1)
      var tagEnds = Occurrence()
      while index < count {
        guard self[index] == UInt8(ascii: "<") else {
          index += 1
          continue
        }
        if startsWith("<![CDATA[", at: index) {
          index = firstIndex(of: "]]>", from: index) ?? count
        } else if startsWith("<!--", at: index) {
          index = firstIndex(of: "-->", from: index) ?? count
        } else if let close = lengthOfEndTag(at: index), isName(name, at: index + close) {
          depth -= 1
          if depth == 0 { return index }
          index += close
        } else {
          // One that ends with its start tag has no end tag.
          if isName(name, at: index + 1), let end = tagEnds.first(">", in: self, from: index), self[end - 1] != UInt8(ascii: "/") {
            depth += 1
          }
          index += 1
        }
      }
      return count
    }

    /// How many bytes are before the name of an end tag at `index`: those of `</`, or of `<\/`, as JSON may have it.
    func lengthOfEndTag(at index: Int) -> Int? { startsWith("</", at: index) ? 2 : startsWith(#"<\/"#, at: index) ? 3 : nil }

    func isEndOfTagName(at index: Int) -> Bool { TextRedaction.isEndOfTagName(self[index]) }

    /// Whether the name of a tag is this one, in any case, as in HTML.
    private func isName(_ name: ArraySlice<UInt8>, at index: Int) -> Bool {
      guard let end = end(of: name, at: index) else { return false }
      return end == count || isEndOfTagName(at: end)
    }

    /// Where a name ends that is at `index`, in any case; nil if it isn't there.
    func end(of name: ArraySlice<UInt8>, at index: Int) -> Int? {
      let end = index + name.count
      return end <= count && self[index..<end].elementsEqual(name) { $0 | 0x20 == $1 | 0x20 } ? end : nil
    }
  }
#endif
