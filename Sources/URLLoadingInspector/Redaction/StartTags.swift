#if Inspector
  import ProtocolRules

  /// Finds the start tags in a text that have the names of secrets, and their end tags. The text is scanned once.
  ///
  /// An end tag belongs to the last unclosed start tag of the same name before it; tags within a comment or a CDATA section are paired only with each
  /// other. A start tag may lose its end tag to another one this way, for example to a placeholder `<token>` or to a tag that isn't recognized as
  /// empty. It then reaches to the last end tag of its name, so that too much is redacted rather than too little. Tags whose `<` is written as an
  /// entity are paired among themselves.
  struct StartTags {
    private let text: [UInt8]
    private let names: SecretNames
    /// The start tags, by the offset at which their name begins.
    private var tags: [Int: StartTag] = [:]
    /// The offsets of the names of start tags without an end tag so far, by a hash of name and section.
    private var open: [Int: [Int]] = [:]
    /// The offset of the last end tag of each name, by the name's hash.
    private var lastEnds: [Int: Int] = [:]
    /// The start tag whose attributes are being scanned; nil outside of such a tag.
    private var current: (name: Int, key: Int, tag: StartTag)?
    /// The range of the comment or CDATA section that began last.
    private var section = 0..<0
    private var commentEnds = Occurrence()
    private var dataEnds = Occurrence()

    /// - Parameter isCut: Whether the text is only a beginning: sections and elements without an end then reach to the end of the text.
    init(_ text: [UInt8], _ names: SecretNames, isCut: Bool) {
      (self.text, self.names) = (text, names)
      var index = 0
      while index < text.count {
        if current != nil { passAttributes(at: index) }
        let encoded = text[index] == UInt8(ascii: "&") ? text.encoded(at: index) : nil
        if text[index] == UInt8(ascii: "<") {
          passSection(at: index, isCut: isCut)
          // Within an attribute's quotes, only the `<` is passed: the closing quote may follow within the tag that seems to begin here.
          let isInQuotes = current != nil
          let next = passTag(at: index, length: 1, isEncoded: false)
          index = isInQuotes ? index + 1 : next
        } else if let encoded, encoded.byte == UInt8(ascii: "<") {
          index = passTag(at: index, length: encoded.length, isEncoded: true)
        } else {
          index += encoded?.length ?? 1
        }
      }
      complete(isCut: isCut)
    }

    /// Completes the tags without an end tag: they reach to the last end tag of their name, unless the text is cut, where their own may have been cut
    /// off. Then extends each element to the end of elements that begin within it.
    private mutating func complete(isCut: Bool) {
      var later: [(begin: Int, end: Int)] = []
      for begin in tags.keys.sorted(by: >) {
        guard let tag = tags[begin], !tag.isEmpty, var end = tag.end ?? (isCut ? nil : lastEnds[tag.name]), end > begin else { continue }
        while let next = later.last, next.begin < end {
          end = max(end, next.end)
          later.removeLast()
        }
        tags[begin]?.end = end
        later.append((begin, end))
      }
    }

    /// The start tag whose name begins at the offset `name`; nil if there is none with a secret's name.
    subscript(name: Int) -> StartTag? { tags[name] }

    private mutating func passSection(at index: Int, isCut: Bool) {
      guard index >= section.upperBound else { return }
      if text.startsWith("<!--", at: index) {
        section = index..<(commentEnds.first("-->", in: text, from: index) ?? (isCut ? text.count : index))
      } else if text.startsWith("<![CDATA[", at: index) {
        section = index..<(dataEnds.first("]]>", in: text, from: index) ?? (isCut ? text.count : index))
      }
    }

    /// Scans the `<` at `index`, which may be encoded, and the tag's name after it.
    /// - Returns: The offset at which scanning continues.
    private mutating func passTag(at index: Int, length: Int, isEncoded: Bool) -> Int {
      let (slash, begin) = text.nameOfTag(behind: index + length)
      guard let (name, end) = text.tagName(at: begin, isEncoded: isEncoded) else { return index + length }
      var hasher = Hasher()
      hasher.combine(isEncoded)
      // Setting bit 5 makes names that differ only in case equal.
      for byte in name { hasher.combine(byte | 0x20) }
      let named = hasher.finalize()
      let key = section.contains(index) ? named ^ section.lowerBound &* 0x9E37_79B9 : named
      if slash > 0 {
        lastEnds[named] = index
        if let start = open[key]?.popLast() { tags[start]?.end = index }
      } else if let local = name.split(separator: UInt8(ascii: ":")).last, names.contains(String(decoding: local, as: UTF8.self)) {
        if isEncoded, text.length(of: "/", at: end) > 0 { return end }
        let tag = StartTag(name: named)
        tags[begin] = tag
        open[key, default: []].append(begin)
        if !isEncoded { current = (begin, key, tag) }
      }
      return end
    }

    private mutating func passAttributes(at index: Int) {
      guard case (let name, let key, var tag)? = current else { return }
      current = nil
      switch text[index] {
      case UInt8(ascii: ">"):
        tag.isEmpty = tag.quote == nil && text[index - 1] == UInt8(ascii: "/")
        if tag.isEmpty, open[key]?.last == name { open[key]?.removeLast() }
        leave(tag, name)
      case UInt8(ascii: "<") where tag.quote == nil:
        tag.hasAttributes = false
        leave(tag, name)
      default:
        tag.pass(text[index])
        current = (name, key, tag)
      }
    }

    /// Stores a tag whose attributes have ended. An end tag that was found meanwhile, within quotes, is kept.
    private mutating func leave(_ tag: StartTag, _ name: Int) {
      let end = tags[name]?.end
      tags[name] = tag
      tags[name]?.end = end
    }
  }

  struct StartTag {
    /// The most bytes of attributes outside of quotes; if there are more, the `<` wasn't the beginning of a tag.
    private static let attributesLimit = 4096

    /// The hash of the tag's name.
    let name: Int
    /// The offset of the end tag; nil if there is none.
    var end: Int?
    /// Whether the tag ends with `/>`: the element has no content.
    var isEmpty = false
    /// Whether the characters after the name can be attributes. In program code such as `i < token ;`, other characters show that they aren't.
    var hasAttributes = true
    private(set) var quote: UInt8?
    private var isValue = false
    private var length = 0

    init(name: Int) { self.name = name }

    /// Scans one byte of the attributes.
    mutating func pass(_ byte: UInt8) {
      guard quote == nil else {
        if byte == quote { quote = nil }
        return
      }
      length += 1
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
      case UInt8(ascii: "="): isValue = true
      case 0...0x20: isValue = false
      // These characters are allowed in an unquoted value, such as JSX's `{x}`, but not elsewhere among attributes.
      case UInt8(ascii: ";"), UInt8(ascii: "("), UInt8(ascii: "{"): hasAttributes = hasAttributes && isValue
      default: break
      }
      if length > StartTag.attributesLimit { hasAttributes = false }
    }
  }

  extension [UInt8] {
    private static var tagNameLimit: Int { 256 }

    /// Finds the name of the tag whose `<` ends before `index`. Within JSON, the slash of an end tag may be preceded by backslashes.
    /// - Returns: The length of the slash in bytes (0 for a start tag), and the offset at which the name begins.
    func nameOfTag(behind index: Int) -> (slash: Int, begin: Int) {
      let sign = skippingBackslashes(index)
      let slash = length(of: "/", at: sign)
      return (slash, slash > 0 ? skippingBackslashes(sign + slash) : index)
    }

    /// The decoded name of the tag whose name begins at `start`, and the offset at which it ends; nil if there is no name.
    func tagName(at start: Int, isEncoded: Bool = false) -> (name: [UInt8], end: Int)? {
      var (name, index) = ([UInt8](), start)
      while index < count, name.count < Self.tagNameLimit {
        let (byte, length) = (isEncoded ? encoded(at: index) : nil) ?? (self[index], 1)
        if TextRedaction.isEndOfTagName(byte) { break }
        guard byte != UInt8(ascii: "<"), byte != UInt8(ascii: "&") else { return nil }
        name.append(byte)
        index += length
      }
      return name.isEmpty ? nil : (name, index)
    }
  }
#endif
