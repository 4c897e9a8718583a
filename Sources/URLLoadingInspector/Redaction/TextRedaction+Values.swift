#if Inspector
  extension TextRedaction {
    /// How a value was assigned, which says where it ends.
    enum Assignment {
      /// `name=value`, in queries and forms.
      case parameter
      /// `name: value`, in fields and YAML. `column` is the name's where it is the first on its line: what follows further in is the value's.
      case line(column: Int?)
      /// `"name": value`, in JSON; in YAML as well.
      case member(column: Int?)
    }

    /// Takes the value at `start`, or behind white space there.
    mutating func takeValue(at start: Int, _ assignment: Assignment) {
      let isMember = if case .member = assignment { true } else { false }
      let space = isMember ? text.skippingWhitespace(start) : text.skippingSpace(start)
      var begin = space
      while begin < text.count, text[begin] == UInt8(ascii: "\\"), text.encoded(at: begin) == nil { begin += 1 }
      output.append(contentsOf: text[position..<begin])
      position = begin
      guard begin < text.count else { return }
      if isURL { return takeBare(assignment) }
      switch text[begin] {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        output.append(text[begin])
        let (end, length) = text.endOfString(begin + 1, quote: text[begin], backslashes: begin - space)
        position = end
        write()
        takeTail(behind: end + length, assignment)
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        position = text.endOfContainer(begin)
        output.append(UInt8(ascii: "\""))
        write()
        output.append(UInt8(ascii: "\""))
        takeTail(behind: position, assignment)
      default: takeBare(assignment)
      }
    }

    /// Takes what isn't in quotes.
    mutating func takeBare(_ assignment: Assignment) {
      let begin = position
      if case .parameter = assignment {
      } else if text.startsWith("null", at: begin), text.isEndOfLiteral(at: begin + 4) {
        return
      }
      if case .member = assignment, let end = text.endOfLiteral(begin) {
        position = end
        // Numbers stay JSON.
        output.append(UInt8(ascii: "\""))
        write()
        output.append(UInt8(ascii: "\""))
        return
      }
      position = endOfBare(begin, assignment)
      // "password:" may be the end of a sentence.
      if case .line = assignment, position == begin { return }
      write()
    }

    /// A quote or bracket in the middle of a value ends nothing: what follows it is taken as well.
    private mutating func takeTail(behind index: Int, _ assignment: Assignment) {
      guard index < text.count, !text.isBoundary(at: index) else { return }
      position = endOfBare(index, assignment)
    }

    private func endOfBare(_ start: Int, _ assignment: Assignment) -> Int {
      var end = start
      while end < text.count, !isEnd(end, assignment) { end += 1 }
      switch assignment {
      case .parameter, .line(nil), .member(nil): return end
      case .line(let column?), .member(let column?): return isURL ? end : endOfBlock(end, column, isEmpty: end == start)
      }
    }

    func isEnd(_ index: Int, _ assignment: Assignment) -> Bool {
      switch text[index] {
      case UInt8(ascii: "\r"), UInt8(ascii: "\n"): return true
      case UInt8(ascii: "&"):
        if case .parameter = assignment { return true }
        return isURL
      case UInt8(ascii: "#"): return isURL
      // What the text is in ends: a string, an element.
      case UInt8(ascii: "\""): return !isURL && (index + 1 == text.count || text.isBoundary(at: index + 1))
      case UInt8(ascii: "\\"):
        return !isURL && text.startsWith("\\\"", at: index) && (index + 2 == text.count || text.isBoundary(at: index + 2))
      case UInt8(ascii: "<"): return !isURL && text.startsWith("</", at: index)
      default: return false
      }
    }

    /// The end of the lines behind a line's end that are further in than `column`: a block of YAML, a folded field.
    /// - Parameter isEmpty: Whether the name's line has no value, so that entries of a list may be as far in as the name.
    private func endOfBlock(_ start: Int, _ column: Int, isEmpty: Bool) -> Int {
      var (end, index) = (start, start)
      while let line = text.nextLine(behind: index) {
        let content = text.skippingSpace(line)
        guard content < text.count else { break }
        index = content
        if text[content] == UInt8(ascii: "\r") || text[content] == UInt8(ascii: "\n") { continue }
        guard content - line > column || isEmpty && content - line == column && text.startsWith("- ", at: content) else { break }
        while index < text.count, text[index] != UInt8(ascii: "\r"), text[index] != UInt8(ascii: "\n") { index += 1 }
        end = index
      }
      return end
    }
  }
#endif
