#if Inspector
  import ProtocolRules

  /// The start tags of a text whose names are those of secrets, and where their end tags are. The text is looked through once.
  ///
  /// An end tag belongs to the last start tag before it of the same name that has none, and tags in a comment or a CDATA section belong to others
  /// there alone. A start tag whose end tag went to another one so, such as a placeholder `<token>` or a tag that isn't seen to be empty, reaches to
  /// the last end tag of its name: too much is taken rather than too little. Tags whose `<` is an entity are paired among themselves.
  struct StartTags {
    private let text: [UInt8]
    private let names: SecretNames
    /// By the places where their names begin.
    private var tags: [Int: StartTag] = [:]
    /// Where the names begin of those that have no end tag yet, by name and section.
    private var open: [Int: [Int]] = [:]
    /// The last end tag of each name.
    private var lastEnds: [Int: Int] = [:]
    /// The one whose attributes are being passed.
    private var current: (name: Int, key: Int, tag: StartTag)?
    /// The comment or CDATA section that began last.
    private var section = 0..<0
    private var commentEnds = Occurrence()
    private var dataEnds = Occurrence()

    /// - Parameter isCut: Whether a section or an element without an end may go to the text's end.
    init(_ text: [UInt8], _ names: SecretNames, isCut: Bool) {
      (self.text, self.names) = (text, names)
      var index = 0
      while index < text.count {
        if current != nil { passAttributes(at: index) }
        let encoded = text[index] == UInt8(ascii: "&") ? text.encoded(at: index) : nil
        if text[index] == UInt8(ascii: "<") {
          passSection(at: index, isCut: isCut)
          // In the quotes of an attribute, the quote at its end may be behind it.
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

    /// What has lost its end tag reaches to the last one, unless its own may have been cut off, and all of them to the end of what begins in them.
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

    /// The tag whose name begins at `name`.
    subscript(name: Int) -> StartTag? { tags[name] }

    private mutating func passSection(at index: Int, isCut: Bool) {
      guard index >= section.upperBound else { return }
      if text.startsWith("<!--", at: index) {
        section = index..<(commentEnds.first("-->", in: text, from: index) ?? (isCut ? text.count : index))
      } else if text.startsWith("<![CDATA[", at: index) {
        section = index..<(dataEnds.first("]]>", in: text, from: index) ?? (isCut ? text.count : index))
      }
    }

    /// Passes the `<` at `index`, encoded or not, and the name behind it.
    /// - Returns: What is next.
    private mutating func passTag(at index: Int, length: Int, isEncoded: Bool) -> Int {
      let (slash, begin) = text.nameOfTag(behind: index + length)
      guard let (name, end) = text.tagName(at: begin, isEncoded: isEncoded) else { return index + length }
      var hasher = Hasher()
      hasher.combine(isEncoded)
      // The same for names that differ in case alone.
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

    /// The attributes of the tag are over. Within quotes, its end tag may have been passed already.
    private mutating func leave(_ tag: StartTag, _ name: Int) {
      let end = tags[name]?.end
      tags[name] = tag
      tags[name]?.end = end
    }
  }

  struct StartTag {
    /// Bytes outside of quotes, at most: what is longer is something else between two signs.
    private static let attributesLimit = 4096

    /// The same for all tags of its name.
    let name: Int
    /// Where the end tag is; nil if there is none.
    var end: Int?
    /// Whether it ends with `/>`, so that the element has no content.
    var isEmpty = false
    /// Whether what follows the name may be attributes: a program that compares, as in `i < token ;`, has other signs there.
    var hasAttributes = true
    private(set) var quote: UInt8?
    private var isValue = false
    private var length = 0

    init(name: Int) { self.name = name }

    /// Passes a byte of the attributes.
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
      // A value without quotes may have them, such as JSX's `{x}`.
      case UInt8(ascii: ";"), UInt8(ascii: "("), UInt8(ascii: "{"): hasAttributes = hasAttributes && isValue
      default: break
      }
      if length > StartTag.attributesLimit { hasAttributes = false }
    }
  }

  extension [UInt8] {
    private static var tagNameLimit: Int { 256 }

    /// The name of the tag whose `<` ends before `index`. In JSON, backslashes may be before its slash.
    /// - Returns: How many bytes the slash has, and where the name begins.
    func nameOfTag(behind index: Int) -> (slash: Int, begin: Int) {
      let sign = skippingBackslashes(index)
      let slash = length(of: "/", at: sign)
      return (slash, slash > 0 ? skippingBackslashes(sign + slash) : index)
    }

    /// The name of a tag at `start` as it is where nothing of it is encoded, and where it ends; nil if there is none.
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
