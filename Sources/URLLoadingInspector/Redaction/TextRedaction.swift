#if Inspector
  import Foundation
  import ProtocolRules

  /// Removes the values of secrets from text of any format: JSON, forms, XML, YAML, queries, lines of an event stream, complete or cut off.
  ///
  /// It looks for names of secrets (`SecretNames`) that are followed by a value: `"name": value`, `name=value`, `name: value`, `<name>value</name>`.
  /// A JSON value that is an object or an array is removed as a whole. Private keys in PEM, tokens after `Bearer`, and users and passwords in URLs
  /// are removed too. In doubt, text is removed. It works on bytes, in linear time, because the text comes from a server that may be hostile: no part
  /// of it is searched more than once.
  struct TextRedaction {
    static let mark = "REDACTED"
    /// The most bytes of an encoded name that are decoded; the names of secrets are shorter.
    private static let escapedNameLimit = 1024

    /// Whether the text is a URL, in which only `&` and `#` end a value.
    let isURL: Bool
    /// Whether the text is only a beginning: missing end tags may have been cut off.
    let isCut: Bool
    let text: [UInt8]
    var output: [UInt8] = []
    var position = 0
    private let names: SecretNames
    private var hasChanged = false
    private var lines = LineStarts()
    lazy var startTags = StartTags(text, names, isCut: isCut)
    var closes = Occurrence()
    var strings = StringLevels()
    private var emptyLines = Occurrence()
    var encodedTag = EncodedTag()
    /// The content of the element whose start tag is being scanned, as offsets; nil if there is none.
    var element: (begin: Int, end: Int)?

    private init(_ text: [UInt8], _ names: SecretNames, isURL: Bool, isCut: Bool) {
      (self.text, self.names, self.isURL, self.isCut) = (text, names, isURL, isCut)
    }

    /// The text with secrets replaced; nil if there are none.
    static func redacted(_ text: some Sequence<UInt8>, _ names: SecretNames, isURL: Bool = false, isCut: Bool = false) -> [UInt8]? {
      var redaction = TextRedaction(Array(text), names, isURL: isURL, isCut: isCut)
      redaction.run()
      return redaction.hasChanged ? redaction.output : nil
    }

    static func redacted(_ text: String, _ names: SecretNames, isURL: Bool = false, isCut: Bool = false) -> String {
      redacted(text.utf8, names, isURL: isURL, isCut: isCut).map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    private mutating func run() {
      output.reserveCapacity(text.count)
      while position < text.count {
        if let element, position >= element.begin {
          takeContent(upTo: element.end)
        } else if isName(position) {
          takeName()
        } else if text[position] == UInt8(ascii: "-"), startsPrivateKey() {
          takePrivateKey()
        } else if text.length(of: ":", at: position) > 0, takeUser() {
          continue
        } else if let (byte, length) = text.encoded(at: position) {
          // An encoded character is passed as a whole, because its digits would look like a name.
          if byte == UInt8(ascii: "<") { encodedTag = EncodedTag(sign: text[position], start: position, name: position + length) }
          output.append(contentsOf: text[position..<position + length])
          position += length
        } else {
          output.append(text[position])
          position += 1
        }
      }
    }

    mutating func write() {
      hasChanged = true
      output.append(contentsOf: TextRedaction.mark.utf8)
    }

    // MARK: - Names

    func isName(_ index: Int) -> Bool {
      switch text[index] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "_"), 0x80...:
        true
      // An encoded letter is part of a name; an encoded `=` or quote isn't.
      case UInt8(ascii: "%"), UInt8(ascii: "\\"), UInt8(ascii: "&"):
        text.encoded(at: index).map { isEncodedName($0.byte, of: index) } ?? false
      default: false
      }
    }

    /// Whether a character that is encoded at `index` belongs to a name: letters, digits, brackets as in `user%5Bpassword%5D`, and joints within a
    /// name.
    private func isEncodedName(_ byte: UInt8, of index: Int) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "_"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "-"), UInt8(ascii: "."):
        true
      case 0x80...: text[index] == UInt8(ascii: "%")
      default: false
      }
    }

    /// Scans one word. If it is the name of a secret, redacts the value after it.
    private mutating func takeName() {
      let begin = position
      while position < text.count, isName(position) || isJoint(position) { position += text.encoded(at: position)?.length ?? 1 }
      let name = decoded(begin..<position)
      output.append(contentsOf: text[begin..<position])
      if name == "Bearer" || name == "bearer" { return takeBearer() }
      guard isSecret(name, begin..<position) else { return encodedTag.passPrefix(begin..<position, text) }
      if encodedTag.local == begin, takeEncodedElement() { return }
      if element == nil, let tag = startOfTag(before: begin), noteElement(tag) { return }
      takeAssigned(begin)
    }

    /// Whether the byte joins two parts of a name: the `-` in `api-key`, or the `.` in `user.password`.
    private func isJoint(_ index: Int) -> Bool {
      switch text[index] {
      case UInt8(ascii: "-"), UInt8(ascii: "."): index + 1 < text.count && isName(index + 1)
      default: false
      }
    }

    /// Whether a name is that of a secret. If the name has an encoded `-` or `.`, its last part counts as a name too.
    private func isSecret(_ name: String, _ range: Range<Int>) -> Bool {
      names.contains(TextRedaction.innermost(name)) || hasEncodedJoint(range, name) && names.contains(TextRedaction.lastPart(of: name))
    }

    private func hasEncodedJoint(_ range: Range<Int>, _ name: String) -> Bool {
      func isJoint(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") }
      return text[range].count(where: isJoint) < name.utf8.count(where: isJoint)
    }

    /// The part of a name after its last `-` or `.`.
    private static func lastPart(of name: String) -> Substring {
      name.lastIndex { $0 == "-" || $0 == "." }.map { name[name.index(after: $0)...] } ?? name[...]
    }

    /// The name in this range with its encoded characters decoded.
    private func decoded(_ range: Range<Int>) -> String {
      let bytes = text[range]
      guard bytes.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "&") }) else {
        return String(decoding: bytes, as: UTF8.self)
      }
      var (plain, index) = ([UInt8](), max(range.lowerBound, range.upperBound - TextRedaction.escapedNameLimit))
      while index < range.upperBound {
        let (byte, length) = text.encoded(at: index) ?? (text[index], 1)
        plain.append(byte)
        index += length
      }
      return String(decoding: plain, as: UTF8.self)
    }

    /// The part of a name in its last brackets, such as "password" of `user[password]`; the whole name if it doesn't end with a bracket.
    private static func innermost(_ name: String) -> Substring {
      guard name.last == "]", let bracket = name.lastIndex(of: "[") else { return name[...] }
      return name[name.index(after: bracket)...].dropLast()
    }

    // MARK: - Values after a name

    private mutating func takeContent(upTo end: Int) {
      element = nil
      guard position < end else { return }
      position = end
      write()
    }

    /// Redacts the value after the name that begins at `begin`, if there is a `:` or `=` between them.
    private mutating func takeAssigned(_ begin: Int) {
      var index = position
      // Skips the bracket of `user[password]=…`, and the backslashes before the quote that ends a name of JSON inside a JSON string.
      while index < text.count, text.encoded(at: index) == nil, text[index] == UInt8(ascii: "]") || text[index] == UInt8(ascii: "\\") {
        index += 1
      }
      if text.encoded(at: index) != nil { return takeEncoded(index) }
      let isQuoted = index < text.count && text.isQuote(at: index)
      if isQuoted { index += 1 }
      index = text.skippingSpace(index)
      if index < text.count, text[index] == UInt8(ascii: "=") { return takeValue(at: index + 1, .parameter) }
      if index == text.count || text[index] != UInt8(ascii: ":") {
        if takePart() { return }
        // In JSON, line ends are allowed between a name and its colon.
        if isQuoted { index = text.skippingWhitespace(index) }
        guard index < text.count, text[index] == UInt8(ascii: ":") else { return }
      }
      let lineStart = lines.start(of: begin, in: text)
      let isFirst = text[lineStart..<begin].prefix(LineStarts.indentLimit + 1).allSatisfy {
        $0 == 0x20 || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'")
      }
      let column = isFirst && begin - lineStart <= LineStarts.indentLimit ? begin - lineStart - (isQuoted ? 1 : 0) : nil
      takeValue(at: index + 1, isQuoted ? .member(column: column) : .line(column: column))
    }

    /// Redacts a value of a multipart form: the name is a parameter of `Content-Disposition`, and the value follows after an empty line.
    private mutating func takePart() -> Bool {
      guard text[lines.start(of: position, in: text)..<position].lowercasedStarts(with: "content-disposition:") else { return false }
      guard let begin = emptyLines.first("\r\n\r\n", in: text, from: position) else { return false }
      let end = text.firstIndex(of: "\r\n--", from: begin + 4) ?? text.count
      guard begin + 4 < end else { return false }
      output.append(contentsOf: text[position..<begin + 4])
      position = end
      write()
      return true
    }

    private mutating func takeBearer() {
      var begin = position
      // In a form or a query, the space is `%20` or `+`.
      while case let length = text.length(of: " \t+", at: begin), length > 0 { begin += length }
      var end = begin
      while end < text.count {
        let (byte, length) = text.encoded(at: end) ?? (text[end], 1)
        if [UInt8].isEndOfToken(byte) { break }
        end += length
      }
      // A word of less than 12 bytes after "Bearer" isn't a token, as in "Bearer of news".
      guard begin > position, end - begin >= 12 else { return }
      output.append(contentsOf: text[position..<begin])
      position = end
      write()
    }

    // MARK: - Private keys

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
  }
#endif
