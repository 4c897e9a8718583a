#if Inspector
  extension TextRedaction {
    /// The form in which a value is assigned to a name; it determines where the value ends.
    enum Assignment {
      /// `name=value`, in queries and forms.
      case parameter
      /// `name: value`, in header fields and YAML. `column` is the name's column if the name is the first on its line: following lines that are
      /// indented further belong to the value. Otherwise nil.
      case line(column: Int?)
      /// `"name": value`, in JSON and YAML. `column` as with `line`.
      case member(column: Int?)
    }

    /// Redacts the value that begins at `start` or after white space there.
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

    /// Redacts a value that isn't in quotes or brackets, from the position on.
    mutating func takeBare(_ assignment: Assignment) {
      let begin = position
      if case .parameter = assignment {
      } else if text.startsWith("null", at: begin), text.isEndOfLiteral(at: begin + 4) {
        return
      }
      if case .member = assignment, let end = text.endOfLiteral(begin) {
        position = end
        // A JSON number or boolean is replaced by a string in quotes, so that the text stays valid JSON.
        output.append(UInt8(ascii: "\""))
        write()
        output.append(UInt8(ascii: "\""))
        return
      }
      position = endOfBare(begin, assignment)
      // Without a value on the line, "password:" may just be the end of a sentence, so nothing is marked.
      if case .line = assignment, position == begin { return }
      write()
    }

    /// If other characters follow directly after a quoted or bracketed value, they belong to the value and are removed too.
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
      // The end of the JSON string or XML element that contains the text also ends the value.
      case UInt8(ascii: "\""): return !isURL && (index + 1 == text.count || text.isBoundary(at: index + 1))
      case UInt8(ascii: "\\"):
        return !isURL && text.startsWith("\\\"", at: index) && (index + 2 == text.count || text.isBoundary(at: index + 2))
      case UInt8(ascii: "<"): return !isURL && text.startsWith("</", at: index)
      default: return false
      }
    }

    /// The end of the lines after `start` that are indented further than `column`: a block of YAML, or a folded header field.
    /// - Parameter isEmpty: Whether the name's own line has no value. Then the items of a list ("- ") may have the same indentation as the name.
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
