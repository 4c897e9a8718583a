#if Inspector
  /// Words, quotes and white space at an offset of the text, and where the values there end.
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

    /// Skips JSON's white space, which is written as `\n`, `\r` or `\t` if the JSON is inside a JSON string.
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

    /// The offset of the line after the line end at `index`; nil if there is no line end at `index`, or no text after it.
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

    /// Skips backslashes that aren't part of an encoded character: JSON inside a JSON string has them before its quotes and slashes.
    func skippingBackslashes(_ start: Int) -> Int {
      var index = start
      while index < count, self[index] == UInt8(ascii: "\\"), encoded(at: index) == nil { index += 1 }
      return index
    }

    // MARK: - The ends of values

    /// Whether the byte at `index` may follow a value in quotes or brackets.
    func isBoundary(at index: Int) -> Bool {
      switch self[index] {
      case 0...0x20, UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "&"), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ")"),
        UInt8(ascii: ">"), UInt8(ascii: "/"), UInt8(ascii: "<"), UInt8(ascii: ":"), UInt8(ascii: "\\"), UInt8(ascii: "\""):
        true
      default: false
      }
    }

    /// Whether a character, decoded if it is encoded, ends a token after `Bearer`.
    static func isEndOfToken(_ byte: UInt8) -> Bool {
      switch byte {
      case 0...0x20, UInt8(ascii: "&"), UInt8(ascii: ";"), UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: "<"),
        UInt8(ascii: "\""), UInt8(ascii: "#"), UInt8(ascii: "\\"), UInt8(ascii: "'"):
        true
      default: false
      }
    }

    /// Whether the byte at `index` ends a URL's authority or the whole URL.
    func isEndOfAuthority(at index: Int) -> Bool {
      switch self[index] {
      case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "<"),
        UInt8(ascii: ">"):
        true
      default: false
      }
    }

    /// The end of a string whose opening quote has `backslashes` backslashes before it: none in plain JSON, 1 in JSON inside a JSON string, 3 one
    /// level deeper. The string ends with a quote of its own level or of an enclosing string.
    /// - Returns: The offset at which the content ends, and the length of the closing quote with its backslashes.
    func endOfString(_ start: Int, quote: UInt8, backslashes: Int) -> (end: Int, quoteLength: Int) {
      var (index, before) = (start, 0)
      while index < count {
        if self[index] == UInt8(ascii: "\\") {
          before += 1
        } else if self[index] == quote, let own = Self.closing(before, backslashes) {
          return (index - own, own + 1)
        } else {
          before = 0
        }
        index += 1
      }
      return (count, 0)
    }

    /// How many of the backslashes before a quote belong to it as the end of a string; nil if the quote is a character of the string.
    /// - Parameter level: The number of backslashes before the string's own quotes.
    static func closing(_ backslashes: Int, _ level: Int) -> Int? {
      // Each level of nesting doubles the backslashes and adds one for a quote, so a quote has 0, 1, 3, 7 … of them.
      var (own, rest) = (0, backslashes)
      while own < level, rest % 2 == 1 { (own, rest) = (own * 2 + 1, rest / 2) }
      return own >= level && rest % 2 == 1 ? nil : own
    }

    func endOfContainer(_ start: Int) -> Int {
      var (index, depth, backslashes) = (start, 0, 0)
      while index < count {
        switch self[index] {
        case UInt8(ascii: "\\"):
          (index, backslashes) = (index + 1, backslashes + 1)
          continue
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          depth -= 1
          if depth == 0 { return index + 1 }
        case UInt8(ascii: "\""):
          let (end, length) = endOfString(index + 1, quote: UInt8(ascii: "\""), backslashes: backslashes)
          (index, backslashes) = (end + length, 0)
          continue
        default: break
        }
        (index, backslashes) = (index + 1, 0)
      }
      return count
    }

    /// The end of a JSON number, `true` or `false` that begins at `start`; nil for anything else.
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

    /// Whether a JSON number or word that ends before `index` is complete: only white space and a delimiter or the end follow.
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
