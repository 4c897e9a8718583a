/// Checks JSON before it is decoded: the decoder recurses once per level, so that a peer could exhaust the stack by deep nesting.
enum NestingScan {
  private static let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))

  private static let notText = "The message isn't JSON in UTF-8."

  /// What is wrong: arrays and objects are nested more deeply than `limit`, or the encoding isn't UTF-8. nil if the bytes may be decoded.
  static func fault(in bytes: UnsafeRawBufferPointer, limit: Int) -> String? {
    // JSON in UTF-16 or UTF-32, which the decoder would accept, has zero bytes or begins with a byte order mark. JSON in UTF-8 has no zero bytes,
    // because control characters are escaped.
    guard let first = bytes.first, first < 0xFE else { return notText }
    var (depth, isString, isEscaped) = (0, false, false)
    for byte in bytes {
      guard byte != 0 else { return notText }
      if isString {
        if isEscaped { isEscaped = false } else if byte == backslash { isEscaped = true } else if byte == quote { isString = false }
        continue
      }
      switch byte {
      case quote: isString = true
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      default: continue
      }
      guard depth <= limit else { return "The message is nested more deeply than \(limit) levels." }
    }
    return nil
  }
}
