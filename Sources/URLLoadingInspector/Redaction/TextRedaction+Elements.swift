#if Inspector
  extension TextRedaction {
    /// The offset at which the name of an XML start tag begins, where `index` is the offset of its local part (after a prefix and colon); nil if
    /// there is no `<` before the name.
    func startOfTag(before index: Int) -> Int? {
      var start = index
      if start > 0, text[start - 1] == UInt8(ascii: ":") {
        start -= 1
        while start > 0, isName(start - 1) || text[start - 1] == UInt8(ascii: "-") || text[start - 1] == UInt8(ascii: ".") { start -= 1 }
      }
      return start > 0 && text[start - 1] == UInt8(ascii: "<") ? start : nil
    }

    /// Sets `element` to the content of the element in whose start tag the position is, after the name that begins at `tag`. The tag's attributes are
    /// then redacted like other text.
    /// - Returns: Whether the name belongs to a start tag.
    mutating func noteElement(_ tag: Int) -> Bool {
      guard let found = startTags[tag], found.end != nil || found.hasAttributes else { return false }
      guard let close = closes.first(">", in: text, from: position) else { return false }
      guard !found.isEmpty else { return true }
      let begin = close + 1
      if let end = found.end, end >= begin {
        element = (begin, end)
      } else {
        // There is no end tag: a placeholder, a generic argument such as `Promise<Token>`, or an element whose end has been cut off.
        element = (begin, isCut ? text.count : endOfUnclosed(begin))
      }
      return true
    }

    /// The end of the content of a start tag without an end tag: at an end tag of an enclosing element; unless the text is cut, also at the end of
    /// the line or of the JSON string that contains it. Complete elements in between are skipped as a whole.
    mutating func endOfUnclosed(_ start: Int) -> Int {
      let level = strings.level(at: start, in: text)
      var (index, backslashes, inside, isInTag) = (start, 0, [[UInt8]: Int](), false)
      while index < text.count {
        if let end = startTags[index]?.end, end > index {
          (index, backslashes) = (end, 0)
          continue
        }
        switch text[index] {
        case UInt8(ascii: "\r") where !isCut, UInt8(ascii: "\n") where !isCut: return index
        // Outside of JSON strings, a quote within a tag may be an attribute's, so it doesn't end the content.
        case UInt8(ascii: "\"") where !isCut && (level != nil || !isInTag) && (index + 1 == text.count || text.isBoundary(at: index + 1)):
          if let own = [UInt8].closing(backslashes, level ?? 0) { return index - own }
        case UInt8(ascii: ">"): isInTag = false
        case UInt8(ascii: "<"):
          let (slash, begin) = text.nameOfTag(behind: index + 1)
          guard let name = text.tagName(at: begin)?.name.map({ $0 | 0x20 }) else { break }
          isInTag = true
          let count = inside[name, default: 0]
          if slash > 0, count == 0 { return index }
          inside[name] = slash > 0 ? count - 1 : count + 1
        default: break
        }
        backslashes = text[index] == UInt8(ascii: "\\") ? backslashes + 1 : 0
        index += 1
      }
      return index
    }

    static func isEndOfTagName(_ byte: UInt8) -> Bool {
      switch byte {
      case 0...0x20, UInt8(ascii: ">"), UInt8(ascii: "/"), UInt8(ascii: "\\"): true
      default: false
      }
    }
  }
#endif
