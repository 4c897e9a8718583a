#if Inspector
  /// Redaction where the characters after a name are encoded: JSON in a form, in a query or in a JSON string, or XML in any of these.
  extension TextRedaction {
    /// Redacts the value after a name if the characters that follow the name, at `start`, are an encoded assignment. The value's end isn't
    /// determined: the whole rest of the parameter or string is removed.
    mutating func takeEncoded(_ start: Int) {
      var index = start
      while case let length = text.length(of: "\\", at: index), length > 0 { index += length }
      let quote = text.length(of: "\"'", at: index)
      index += quote
      while case let length = text.length(of: " +\t\r\n", at: index), length > 0 { index += length }
      let sign = text.length(of: quote > 0 ? ":" : ":=", at: index)
      guard sign > 0 else { return }
      if text[start] == UInt8(ascii: "%") { return takeValue(at: index + sign, .parameter) }
      // `&` doesn't end the value here: it begins an entity, or is part of the value.
      output.append(contentsOf: text[position..<index + sign])
      position = index + sign
      takeBare(.line(column: nil))
    }
  }
#endif
