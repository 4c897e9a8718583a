import Foundation

/// Formats JSON piece by piece as it comes: indents it, colours it, or both. Pure.
///
/// The syntax isn't checked: text that isn't JSON keeps everything but its white space. Control characters in strings become \u escapes, which mean
/// the same.
struct JSONFormatter: Sendable {
  private enum Container { case object, list }

  private enum Token { case none, string, word }

  private let indents: Bool
  private let theme: Theme?
  private var containers: [Container] = []
  private var token = Token.none
  private var isEscaped = false
  /// Whether the next string in an object is a member's name.
  private var expectsName = false
  /// Whether an opening bracket was the last thing written, so that a closing one directly follows it without a line break.
  private var hasJustOpened = false
  /// Whether a top-level value has ended, so that the next one begins a new line.
  private var hasValue = false
  private var lastWritten: UInt8 = 0
  private var out: [UInt8] = []

  /// - Parameter theme: Colours; nil for none.
  init(indents: Bool, theme: Theme?) {
    (self.indents, self.theme) = (indents, theme)
  }

  /// Formats the next piece.
  mutating func take(_ data: Data) -> Data {
    out.removeAll(keepingCapacity: true)
    out.reserveCapacity(data.count * 2)
    for byte in data { take(byte) }
    return Data(out)
  }

  /// The end of the output: ends its last line.
  mutating func end() -> Data {
    out.removeAll(keepingCapacity: true)
    if case .word = token { put(theme?.end) }
    token = .none
    if lastWritten != UInt8(ascii: "\n"), lastWritten != 0 { put(UInt8(ascii: "\n")) }
    return Data(out)
  }

  private mutating func take(_ byte: UInt8) {
    if case .string = token { return continueString(byte) }
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"):
      endWord()
      if !indents { put(byte) }
    case UInt8(ascii: "{"), UInt8(ascii: "["): open(byte)
    case UInt8(ascii: "}"), UInt8(ascii: "]"): close(byte)
    case UInt8(ascii: ","):
      endWord()
      put(byte)
      breakLine()
      expectsName = containers.last == .object
    case UInt8(ascii: ":"):
      endWord()
      put(byte)
      if indents { put(UInt8(ascii: " ")) }
      expectsName = false
    case UInt8(ascii: "\""):
      beginValue()
      token = .string
      put(expectsName ? theme?.name : theme?.string)
      put(byte)
    default:
      if case .none = token {
        beginValue()
        token = .word
        let isNumber = byte == UInt8(ascii: "-") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
        put(isNumber ? theme?.number : theme?.word)
      }
      putSafely(byte)
    }
  }

  private mutating func continueString(_ byte: UInt8) {
    putSafely(byte)
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      token = .none
      put(theme?.end)
      if containers.isEmpty { hasValue = true }
    }
  }

  private mutating func endWord() {
    guard case .word = token else { return }
    token = .none
    put(theme?.end)
    if containers.isEmpty { hasValue = true }
  }

  /// Writes what must precede a value or a name: a line break, or nothing.
  private mutating func beginValue() {
    endWord()
    if hasJustOpened { breakLine() }
    hasJustOpened = false
    guard containers.isEmpty, hasValue else { return }
    hasValue = false
    if indents, lastWritten != UInt8(ascii: "\n") { put(UInt8(ascii: "\n")) }
  }

  private mutating func open(_ byte: UInt8) {
    beginValue()
    put(byte)
    let isObject = byte == UInt8(ascii: "{")
    containers.append(isObject ? .object : .list)
    expectsName = isObject
    hasJustOpened = true
  }

  private mutating func close(_ byte: UInt8) {
    endWord()
    let wasEmpty = hasJustOpened
    hasJustOpened = false
    _ = containers.popLast()
    expectsName = false
    if !wasEmpty { breakLine() }
    put(byte)
    if containers.isEmpty { hasValue = true }
  }

  private mutating func breakLine() {
    guard indents else { return }
    put(UInt8(ascii: "\n"))
    out.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * min(containers.count, 100)))
  }

  private mutating func put(_ byte: UInt8) {
    out.append(byte)
    lastWritten = byte
  }

  /// Writes a control character as an escape, because it could control the terminal.
  private mutating func putSafely(_ byte: UInt8) {
    guard byte < 0x20 || byte == 0x7F else { return put(byte) }
    for digit in "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8 { put(digit) }
  }

  private mutating func put(_ style: String?) {
    guard let style else { return }
    out.append(contentsOf: style.utf8)
  }
}
