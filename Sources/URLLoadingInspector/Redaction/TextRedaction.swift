#if Inspector
  import Foundation

  /// Takes the values of secrets out of text, whatever its format: JSON, forms, XML, YAML, queries, lines of an event stream, whole or cut off.
  ///
  /// It looks for names (`SecretNames`) that a value follows: `"name": value`, `name=value`, `name: value`, `<name>value</name>`. A JSON
  /// value that is an object or an array is taken out as a whole. Private keys in PEM and tokens behind `Bearer` are taken out as well.
  /// Too much rather than too little: text that looks like a secret is one. Works on bytes, in one pass.
  struct TextRedaction {
    static let mark = "REDACTED"

    private let names: SecretNames
    private let text: [UInt8]
    private var output: [UInt8] = []
    private var position = 0

    private init(_ text: [UInt8], _ names: SecretNames) { (self.text, self.names) = (text, names) }

    /// nil where there is nothing to take out.
    static func redacted(_ text: some Sequence<UInt8>, _ names: SecretNames) -> [UInt8]? {
      var redaction = TextRedaction(Array(text), names)
      redaction.run()
      return redaction.hasChanged ? redaction.output : nil
    }

    static func redacted(_ text: String, _ names: SecretNames) -> String {
      redacted(text.utf8, names).map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    private var hasChanged = false

    private mutating func run() {
      output.reserveCapacity(text.count)
      while position < text.count {
        if isName(position) {
          takeName()
        } else if text[position] == UInt8(ascii: "-"), startsPrivateKey() {
          takePrivateKey()
        } else {
          output.append(text[position])
          position += 1
        }
      }
    }

    // MARK: names

    private func isName(_ index: Int) -> Bool {
      switch text[index] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "_"), 0x80...:
        true
      // An encoded letter, but no encoded `=` or `&`.
      case UInt8(ascii: "%"): !text.startsWith("%3", at: index) && !text.startsWith("%2", at: index)
      // An escaped letter of JSON.
      case UInt8(ascii: "\\"): text.startsWith("\\u00", at: index)
      default: false
      }
    }

    /// Takes one word, and where it names a secret, the value behind it.
    private mutating func takeName() {
      let begin = position
      while position < text.count, isName(position) || isJoint(position) { position += 1 }
      let isInTag = begin > 0 && text[begin - 1] == UInt8(ascii: "<")
      let name = TextRedaction.decoded(text[begin..<position])
      output.append(contentsOf: text[begin..<position])
      if name == "Bearer" || name == "bearer" { return takeBearer() }
      guard names.contains(TextRedaction.innermost(name)) else { return }
      if isInTag { return takeElement() }
      takeAssigned(isQuoted: begin > 0 && TextRedaction.isQuote(text[begin - 1]))
    }

    /// Whether the byte joins two parts of a name: `api-key`, `user.password`, `user[password]`.
    private func isJoint(_ index: Int) -> Bool {
      switch text[index] {
      case UInt8(ascii: "-"), UInt8(ascii: "."): index + 1 < text.count && isName(index + 1)
      default: false
      }
    }

    /// A name without percent-encoding and JSON's escapes.
    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
      let text = String(decoding: bytes, as: UTF8.self)
      guard bytes.contains(UInt8(ascii: "%")) || bytes.contains(UInt8(ascii: "\\")) else { return text }
      var plain = text.removingPercentEncoding ?? text
      while let escape = plain.range(of: #"\\u00[0-9A-Fa-f]{2}"#, options: .regularExpression),
        let code = UInt8(plain[escape].suffix(2), radix: 16)
      {
        plain.replaceSubrange(escape, with: String(UnicodeScalar(code)))
      }
      return plain
    }

    /// What is between the last brackets, where they were encoded: `user[password]`.
    private static func innermost(_ name: String) -> Substring {
      guard name.last == "]", let bracket = name.lastIndex(of: "[") else { return name[...] }
      return name[name.index(after: bracket)...].dropLast()
    }

    private static func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

    // MARK: values

    /// The value behind a name, if a `:` or `=` is between them.
    private mutating func takeAssigned(isQuoted: Bool) {
      var index = position
      // `user[password]=…`, and the quote that ends the name, escaped where JSON is inside a string.
      while index < text.count, text[index] == UInt8(ascii: "]") || text[index] == UInt8(ascii: "\\") { index += 1 }
      if index < text.count, TextRedaction.isQuote(text[index]) { index += 1 }
      index = skippingSpace(index)
      if text.startsWith("%3D", at: index) || text.startsWith("%3d", at: index) {
        index += 3
      } else {
        guard index < text.count, text[index] == UInt8(ascii: ":") || text[index] == UInt8(ascii: "=") else { return takePart() }
        index += 1
      }
      index = skippingSpace(index)
      guard index < text.count else { return }
      output.append(contentsOf: text[position..<index])
      position = index
      takeValue(stopsAtLine: !isQuoted)
    }

    /// Multipart forms: the name is a parameter of a field, and the value follows an empty line.
    private mutating func takePart() {
      guard let line = lineBefore(position), line.lowercasedStarts(with: "content-disposition:") else { return }
      guard let begin = text.firstIndex(of: "\r\n\r\n", from: position) else { return }
      let end = text.firstIndex(of: "\r\n--", from: begin + 4) ?? text.count
      guard begin + 4 < end else { return }
      output.append(contentsOf: text[position..<begin + 4])
      position = end
      write()
    }

    private mutating func takeValue(stopsAtLine: Bool) {
      var begin = position
      while begin < text.count, text[begin] == UInt8(ascii: "\\") { begin += 1 }
      guard begin < text.count else { return }
      output.append(contentsOf: text[position..<begin])
      switch text[begin] {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        let isEscaped = begin > position
        output.append(text[begin])
        position = endOfString(begin + 1, quote: text[begin], isEscaped: isEscaped)
        write()
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        position = endOfContainer(begin)
        output.append(UInt8(ascii: "\""))
        write()
        output.append(UInt8(ascii: "\""))
      case UInt8(ascii: "n") where text.startsWith("null", at: begin): position = begin
      default:
        position = begin
        while position < text.count, !isEnd(text[position]) { position += 1 }
        // Numbers stay JSON.
        let isBare = !stopsAtLine
        if isBare { output.append(UInt8(ascii: "\"")) }
        write()
        if isBare { output.append(UInt8(ascii: "\"")) }
      }
    }

    private func isEnd(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "&"), UInt8(ascii: ";"), UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: "<"),
        UInt8(ascii: "\""), UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: "#"):
        true
      default: false
      }
    }

    private func endOfString(_ start: Int, quote: UInt8, isEscaped: Bool) -> Int {
      var index = start
      while index < text.count, text[index] != quote {
        // In a string within a string the backslash before the quote belongs to the outer one.
        if isEscaped, text[index] == UInt8(ascii: "\\"), index + 1 < text.count, text[index + 1] == quote { return index }
        index += text[index] == UInt8(ascii: "\\") ? 2 : 1
      }
      return min(index, text.count)
    }

    private func endOfContainer(_ start: Int) -> Int {
      var (index, depth) = (start, 0)
      while index < text.count {
        switch text[index] {
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          depth -= 1
          if depth == 0 { return index + 1 }
        case UInt8(ascii: "\""): index = endOfString(index + 1, quote: UInt8(ascii: "\""), isEscaped: false)
        default: break
        }
        index += 1
      }
      return text.count
    }

    private mutating func takeElement() {
      guard let close = text[position...].firstIndex(of: UInt8(ascii: ">")), close > position - 1, text[close - 1] != UInt8(ascii: "/")
      else { return }
      let begin = close + 1
      let end = text[begin...].firstIndex(of: UInt8(ascii: "<")) ?? text.count
      guard begin < end else { return }
      output.append(contentsOf: text[position..<begin])
      position = end
      write()
    }

    private mutating func takeBearer() {
      let begin = skippingSpace(position)
      var end = begin
      while end < text.count, text[end] > 0x20, !isEnd(text[end]), text[end] != UInt8(ascii: "\\"), text[end] != UInt8(ascii: "'") {
        end += 1
      }
      // "Bearer of news" isn't a token.
      guard begin > position, end - begin >= 12 else { return }
      output.append(contentsOf: text[position..<begin])
      position = end
      write()
    }

    // MARK: private keys

    private func startsPrivateKey() -> Bool {
      guard text.startsWith("-----BEGIN ", at: position) else { return false }
      let head = String(decoding: text[position..<min(position + 64, text.count)], as: UTF8.self)
      return head.contains("PRIVATE KEY-----")
    }

    private mutating func takePrivateKey() {
      position =
        text.firstIndex(of: "-----END ", from: position).map { end in
          (text[(end + 9)...].firstIndex(of: UInt8(ascii: "-")) ?? text.count - 5) + 5
        } ?? text.count
      position = min(position, text.count)
      write()
    }

    // MARK: places

    private mutating func write() {
      hasChanged = true
      output.append(contentsOf: TextRedaction.mark.utf8)
    }

    private func skippingSpace(_ start: Int) -> Int {
      var index = start
      while index < text.count, text[index] == 0x20 || text[index] == 0x09 { index += 1 }
      return index
    }

    private func lineBefore(_ end: Int) -> ArraySlice<UInt8>? {
      let begin = text[..<end].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
      return text[begin..<end]
    }
  }

  extension [UInt8] {
    fileprivate func startsWith(_ word: StaticString, at index: Int) -> Bool {
      guard index + word.utf8CodeUnitCount <= count else { return false }
      return word.withUTF8Buffer { bytes in self[index..<index + bytes.count].elementsEqual(bytes) }
    }

    fileprivate func firstIndex(of word: StaticString, from start: Int) -> Int? {
      var index = start
      while index + word.utf8CodeUnitCount <= count {
        if startsWith(word, at: index) { return index }
        index += 1
      }
      return nil
    }
  }

  extension ArraySlice<UInt8> {
    fileprivate func lowercasedStarts(with word: StaticString) -> Bool {
      guard count >= word.utf8CodeUnitCount else { return false }
      return word.withUTF8Buffer { bytes in prefix(bytes.count).elementsEqual(bytes) { $0 | 0x20 == $1 | 0x20 } }
    }
  }
#endif
