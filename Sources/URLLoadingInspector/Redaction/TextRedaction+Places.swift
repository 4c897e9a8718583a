#if Inspector
  /// Where lines begin. Asked for places that only grow, it looks at each byte once.
  struct LineStarts {
    /// How far in a name may be for its value to have further lines.
    static let indentLimit = 256

    private var start = 0
    private var end = 0

    mutating func start(of index: Int, in text: [UInt8]) -> Int {
      if index > end {
        if let feed = text[end..<index].lastIndex(of: UInt8(ascii: "\n")) { start = feed + 1 }
        end = index
      }
      return start
    }
  }

  /// The next place of a word. Asked for places that only grow, it looks at each byte once.
  struct Occurrence {
    private enum Known {
      case none
      case at(Int)
      case nowhere
    }

    private var known = Known.none

    mutating func first(_ word: StaticString, in text: [UInt8], from start: Int) -> Int? {
      switch known {
      case .at(let place) where place >= start: return place
      case .nowhere: return nil
      case .none, .at:
        let place = text.firstIndex(of: word, from: start)
        known = place.map { .at($0) } ?? .nowhere
        return place
      }
    }
  }

  extension [UInt8] {
    func startsWith(_ word: StaticString, at index: Int) -> Bool {
      guard index + word.utf8CodeUnitCount <= count else { return false }
      return word.withUTF8Buffer { bytes in self[index..<index + bytes.count].elementsEqual(bytes) }
    }

    func firstIndex(of word: StaticString, from start: Int) -> Int? {
      var index = start
      while index + word.utf8CodeUnitCount <= count {
        if startsWith(word, at: index) { return index }
        index += 1
      }
      return nil
    }

    func isQuote(at index: Int) -> Bool { self[index] == UInt8(ascii: "\"") || self[index] == UInt8(ascii: "'") }

    func skippingSpace(_ start: Int) -> Int {
      var index = start
      while index < count, self[index] == 0x20 || self[index] == 0x09 { index += 1 }
      return index
    }

    /// Skips white space of JSON, escaped where JSON is inside a string.
    func skippingWhitespace(_ start: Int) -> Int {
      var index = start
      while index < count {
        switch self[index] {
        case 0x20, 0x09, 0x0A, 0x0D: index += 1
        case UInt8(ascii: "\\") where startsWith("\\n", at: index) || startsWith("\\r", at: index) || startsWith("\\t", at: index):
          index += 2
        default: return index
        }
      }
      return index
    }

    /// Where the line behind the line end at `index` begins; nil where there is no line end, or nothing behind it.
    func nextLine(behind index: Int) -> Int? {
      guard index < count else { return nil }
      let next: Int
      switch self[index] {
      case UInt8(ascii: "\r"): next = index + (startsWith("\r\n", at: index) ? 2 : 1)
      case UInt8(ascii: "\n"): next = index + 1
      default: return nil
      }
      return next < count ? next : nil
    }

    // MARK: ends

    /// Whether the byte may follow a value that is in quotes or brackets.
    func isBoundary(at index: Int) -> Bool {
      switch self[index] {
      case 0...0x20, UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "&"), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ")"),
        UInt8(ascii: ">"), UInt8(ascii: "/"), UInt8(ascii: "<"), UInt8(ascii: ":"), UInt8(ascii: "\\"), UInt8(ascii: "\""):
        true
      default: false
      }
    }

    /// Whether the byte ends a token behind `Bearer`.
    func isEndOfToken(at index: Int) -> Bool {
      switch self[index] {
      case UInt8(ascii: "&"), UInt8(ascii: ";"), UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: "<"),
        UInt8(ascii: "\""), UInt8(ascii: "#"), UInt8(ascii: "\\"), UInt8(ascii: "'"):
        true
      default: false
      }
    }

    /// Whether the byte ends a URL's authority, or the URL.
    func isEndOfAuthority(at index: Int) -> Bool {
      switch self[index] {
      case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "<"),
        UInt8(ascii: ">"):
        true
      default: false
      }
    }

    func endOfString(_ start: Int, quote: UInt8, isEscaped: Bool) -> Int {
      var index = start
      while index < count, self[index] != quote {
        // In a string within a string the backslash before the quote belongs to the outer one.
        if isEscaped, self[index] == UInt8(ascii: "\\"), index + 1 < count, self[index + 1] == quote { return index }
        index += self[index] == UInt8(ascii: "\\") ? 2 : 1
      }
      return Swift.min(index, count)
    }

    func endOfContainer(_ start: Int) -> Int {
      var (index, depth) = (start, 0)
      while index < count {
        switch self[index] {
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          depth -= 1
          if depth == 0 { return index + 1 }
        case UInt8(ascii: "\""): index = endOfString(index + 1, quote: UInt8(ascii: "\""), isEscaped: false)
        default: break
        }
        index += 1
      }
      return count
    }

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
        } else if let close = [2, 3].first(where: { isEndTag(at: index, length: $0) }), isName(name, at: index + close) {
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

    /// Whether an end tag begins so: by `</`, or by `<\/`, as JSON may have it.
    private func isEndTag(at index: Int, length: Int) -> Bool { startsWith(length == 2 ? "</" : #"<\/"#, at: index) }

    /// Whether the name of a tag is this one, in any case, as in HTML.
    private func isName(_ name: ArraySlice<UInt8>, at index: Int) -> Bool {
      let end = index + name.count
      guard end <= count, self[index..<end].elementsEqual(name, by: { $0 == $1 || $0 | 0x20 == $1 | 0x20 }) else { return false }
      guard end < count else { return true }
      switch self[end] {
      case 0...0x20, UInt8(ascii: ">"), UInt8(ascii: "/"), UInt8(ascii: "\\"): return true
      default: return false
      }
    }

    /// Where a number, `true` or `false` of JSON ends that begins at `start`; nil for anything else.
    func endOfLiteral(_ start: Int) -> Int? {
      for word: StaticString in ["true", "false"] where startsWith(word, at: start) {
        let end = start + word.utf8CodeUnitCount
        return isEndOfLiteral(at: end) ? end : nil
      }
      var end = start
      scan: while end < count {
        switch self[end] {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"),
          UInt8(ascii: "E"):
          end += 1
        default: break scan
        }
      }
      return end > start && isEndOfLiteral(at: end) ? end : nil
    }

    /// Whether a number or word of JSON ends before `index`.
    func isEndOfLiteral(at index: Int) -> Bool {
      let index = skippingSpace(index)
      guard index < count else { return true }
      switch self[index] {
      case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: "\\"),
        UInt8(ascii: "\""):
        return true
      default: return false
      }
    }
  }

  extension ArraySlice<UInt8> {
    func lowercasedStarts(with word: StaticString) -> Bool {
      guard count >= word.utf8CodeUnitCount else { return false }
      return word.withUTF8Buffer { bytes in prefix(bytes.count).elementsEqual(bytes) { $0 | 0x20 == $1 | 0x20 } }
    }
  }
#endif
