#if Inspector
  extension TextRedaction {
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
    /// - Returns: Whether it is a start tag.
    mutating func noteElement(_ tag: Int) -> Bool {
      guard let found = startTags[tag], found.end != nil || found.hasAttributes else { return false }
      guard let close = closes.first(">", in: text, from: position) else { return false }
      guard !found.isEmpty else { return true }
      let begin = close + 1
      if let end = found.end, end >= begin {
        element = (begin, end)
      } else {
        // A placeholder, or the argument of a type as in `Promise<Token>`, has no end tag; nor has an element whose text was cut off.
        element = (begin, isCut ? text.count : endOfUnclosed(begin))
      }
      return true
    }

    /// Where what lacks its end tag ends: at an end tag of what is around; in a whole text with the line, or the string that it is in, as well. What
    /// begins before is taken whole.
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
        // Outside of strings it may be an attribute's.
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
