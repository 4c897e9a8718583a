#if Inspector
  extension TextRedaction {
    /// Redacts the user and password of a URL whose `:` is at the position. The slashes may be escaped by JSON, and the URL may be percent-encoded,
    /// as in the query of another.
    mutating func takeUser() -> Bool {
      let colon = text.length(of: ":", at: position)
      var (begin, isEncoded) = (position + colon, colon > 1)
      for _ in 0..<2 {
        if text.startsWith(#"\/"#, at: begin) {
          begin += 2
          continue
        }
        let slash = text.length(of: "/", at: begin)
        guard slash > 0 else { return false }
        (begin, isEncoded) = (begin + slash, isEncoded || slash > 1)
      }
      let at = isEncoded ? lastEncodedSign(from: begin) : lastSign(from: begin)
      guard at > begin else { return false }
      output.append(contentsOf: text[position..<begin])
      position = at
      write()
      return true
    }

    /// The offset of the last `@` in the authority that begins at `begin`; `begin` if there is none.
    private func lastSign(from begin: Int) -> Int {
      var (index, at) = (begin, begin)
      while index < text.count, text[index] > 0x20, !text.isEndOfAuthority(at: index) {
        if text[index] == UInt8(ascii: "@") { at = index }
        index += 1
      }
      return at
    }

    /// As `lastSign`, for an authority in which the `@` and the delimiters may be percent-encoded.
    private func lastEncodedSign(from begin: Int) -> Int {
      var (index, at) = (begin, begin)
      while index < text.count, text[index] > 0x20, text.length(of: #"/?#\"<>& "#, at: index) == 0 {
        let sign = text.length(of: "@", at: index)
        if sign > 0 { at = index }
        index += text.encoded(at: index)?.length ?? 1
      }
      return at
    }
  }
#endif
