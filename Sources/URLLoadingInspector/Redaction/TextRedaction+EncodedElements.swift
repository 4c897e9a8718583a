#if Inspector
  /// Redaction of XML elements whose tags are encoded: in a form, in a JSON string, or in other XML.
  extension TextRedaction {
    /// Redacts the content of the element in whose encoded start tag the position is, after the name. The tag's attributes are removed too.
    /// - Returns: Whether it is a start tag.
    mutating func takeEncodedElement() -> Bool {
      let name = text[encodedTag.name..<position]
      let sign = text.skippingBackslashes(position)
      let close = text.length(of: ">", at: sign)
      guard close > 0 || isEncodedSpace(sign) else { return false }
      let begin = close > 0 ? sign + close : position
      let isEntity = encodedTag.sign == UInt8(ascii: "&")
      let end: Int
      if isEntity, !isURL, let tagEnd = startTags[encodedTag.name]?.end {
        end = tagEnd
      } else {
        // Without a `>`, this may be a placeholder, or words after an encoded `<`; then it isn't a tag.
        guard !isEntity || isCut || close > 0 || isEncodedTagClosed(begin) else { return false }
        end = isEntity && !isURL ? endOfUnclosed(begin) : endOfEncodedElement(begin, name: name)
      }
      output.append(contentsOf: text[position..<begin])
      position = begin
      guard end > begin else { return true }
      position = end
      write()
      return true
    }

    /// Whether there is white space at `index`, which may be escaped by the backslashes before it, as in `\n`.
    private func isEncodedSpace(_ index: Int) -> Bool {
      if text.length(of: " +\t\r\n", at: index) > 0 { return true }
      guard index > position, index < text.count else { return false }
      return text[index] == UInt8(ascii: "n") || text[index] == UInt8(ascii: "r") || text[index] == UInt8(ascii: "t")
    }

    /// Whether a `>`, encoded or not, follows on the same line before the next tag begins.
    private func isEncodedTagClosed(_ start: Int) -> Bool {
      var index = start
      while index < text.count, text.length(of: "<\"\r\n", at: index) == 0 || text.encoded(at: index)?.byte == UInt8(ascii: "\"") {
        if text.length(of: ">", at: index) > 0 { return true }
        index += text.encoded(at: index)?.length ?? 1
      }
      return false
    }

    /// The offset of the element's encoded end tag; without one, the end of the parameter or string that contains the element.
    private func endOfEncodedElement(_ start: Int, name: ArraySlice<UInt8>) -> Int {
      var (index, depth, backslashes) = (start, 1, 0)
      let level = levelOfEncodedTag()
      while index < text.count {
        if let end = endOfElements(index, backslashes, level) { return end }
        let encoded = text.encoded(at: index)
        if let encoded, encoded.byte == UInt8(ascii: "<") {
          let (slash, begin) = text.nameOfTag(behind: index + encoded.length)
          if isName(name, at: begin) { depth += slash > 0 ? -1 : 1 }
          if depth == 0 { return index - backslashes }
        }
        backslashes = encoded == nil && text[index] == UInt8(ascii: "\\") ? backslashes + 1 : 0
        index += encoded?.length ?? 1
      }
      return index
    }

    private func isName(_ name: ArraySlice<UInt8>, at index: Int) -> Bool {
      let end = index + name.count
      guard end <= text.count, text[index..<end].elementsEqual(name, by: { $0 | 0x20 == $1 | 0x20 }) else { return false }
      return end == text.count || !isName(end)
    }

    /// The number of backslashes before the encoded `<`, which equals the level of the quotes of the JSON string that contains the tag.
    private func levelOfEncodedTag() -> Int {
      guard encodedTag.sign == UInt8(ascii: "\\") else { return 0 }
      var index = encodedTag.start
      while index > 0, text[index - 1] == UInt8(ascii: "\\") { index -= 1 }
      return encodedTag.start - index
    }

    /// The offset at which the parameter or string ends that contains the encoded elements, if it ends at `index`; otherwise nil.
    /// - Parameters:
    ///   - backslashes: The number of backslashes before `index`.
    ///   - level: The number of backslashes before the quotes of the string.
    private func endOfElements(_ index: Int, _ backslashes: Int, _ level: Int) -> Int? {
      switch encodedTag.sign {
      case UInt8(ascii: "\\") where !isURL:
        switch text[index] {
        case UInt8(ascii: "\r"), UInt8(ascii: "\n"): return index
        case UInt8(ascii: "\""): return [UInt8].closing(backslashes, level).map { index - $0 }
        default: return nil
        }
      default: return isEnd(index, .parameter) ? index : nil
      }
    }
  }
#endif
