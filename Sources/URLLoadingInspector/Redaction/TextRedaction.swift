#if Inspector
  import Foundation
  import ProtocolRules

  /// Takes the values of secrets out of text, whatever its format: JSON, forms, XML, YAML, queries, lines of an event stream, whole or cut off.
  ///
  /// It looks for names (`SecretNames`) that a value follows: `"name": value`, `name=value`, `name: value`, `<name>value</name>`. A JSON
  /// value that is an object or an array is taken out as a whole. Private keys in PEM, tokens behind `Bearer`, and users and passwords in URLs
  /// are taken out as well. Too much rather than too little: text that looks like a secret is one. Works on bytes, in one pass: text is of a
  /// server's making, and what is looked for behind or before a name is looked for once.
  struct TextRedaction {
    static let mark = "REDACTED"
    /// Bytes of an escaped name that are decoded: more than an escaped name of a secret has.
    private static let escapedNameLimit = 1024

    /// Whether the text is a URL, in which only `&` and `#` end a value.
    let isURL: Bool
    /// Whether only the beginning of the text is known: end tags that it lacks may have followed.
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
    /// Where the content begins, and ends, of the element whose tag is being passed.
    var element: (begin: Int, end: Int)?

    private init(_ text: [UInt8], _ names: SecretNames, isURL: Bool, isCut: Bool) {
      (self.text, self.names, self.isURL, self.isCut) = (text, names, isURL, isCut)
    }

    /// nil where there is nothing to take out.
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
          // Its digits are no name.
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

    // MARK: names

    func isName(_ index: Int) -> Bool {
      switch text[index] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "_"), 0x80...:
        true
      // An encoded letter, but no encoded `=` or quote.
      case UInt8(ascii: "%"), UInt8(ascii: "\\"), UInt8(ascii: "&"):
        text.encoded(at: index).map { isEncodedName($0.byte, of: index) } ?? false
      default: false
      }
    }

    /// Whether a byte that is encoded at `index` belongs to a name: brackets do, as in `user%5Bpassword%5D`, and signs within a name.
    private func isEncodedName(_ byte: UInt8, of index: Int) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "_"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "-"), UInt8(ascii: "."):
        true
      case 0x80...: text[index] == UInt8(ascii: "%")
      default: false
      }
    }

    /// Takes one word, and where it names a secret, the value behind it.
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

    /// Whether the byte joins two parts of a name: `api-key`, `user.password`, `user[password]`.
    private func isJoint(_ index: Int) -> Bool {
      switch text[index] {
      case UInt8(ascii: "-"), UInt8(ascii: "."): index + 1 < text.count && isName(index + 1)
      default: false
      }
    }

    /// Whether a name is a secret's, or joined by a `-` or `.` that is encoded: then both parts are names.
    private func isSecret(_ name: String, _ range: Range<Int>) -> Bool {
      names.contains(TextRedaction.innermost(name)) || hasEncodedJoint(range, name) && names.contains(TextRedaction.lastPart(of: name))
    }

    private func hasEncodedJoint(_ range: Range<Int>, _ name: String) -> Bool {
      func isJoint(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") }
      return text[range].count(where: isJoint) < name.utf8.count(where: isJoint)
    }

    /// The part of a name behind its last joint.
    private static func lastPart(of name: String) -> Substring {
      name.lastIndex { $0 == "-" || $0 == "." }.map { name[name.index(after: $0)...] } ?? name[...]
    }

    /// A name as it is where nothing of it is encoded.
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

    /// What is between the last brackets, where they were encoded: `user[password]`.
    private static func innermost(_ name: String) -> Substring {
      guard name.last == "]", let bracket = name.lastIndex(of: "[") else { return name[...] }
      return name[name.index(after: bracket)...].dropLast()
    }

    // MARK: what follows a name

    private mutating func takeContent(upTo end: Int) {
      element = nil
      guard position < end else { return }
      position = end
      write()
    }

    /// The value behind the name that begins at `begin`, if a `:` or `=` is between them.
    private mutating func takeAssigned(_ begin: Int) {
      var index = position
      // `user[password]=…`, and the quote that ends the name, escaped where JSON is inside a string.
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
        // JSON has the colon on any line.
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

    /// Multipart forms: the name is a parameter of a field, and the value follows an empty line.
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
      let begin = text.skippingSpace(position)
      var end = begin
      while end < text.count, text[end] > 0x20, !text.isEndOfToken(at: end) { end += 1 }
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
  }
#endif
