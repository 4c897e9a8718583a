#if Inspector
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
  }
#endif
