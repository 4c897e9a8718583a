/// Edits a typed line, and keeps a history of earlier ones. Pure.
struct LineEditor: Sendable {
  enum Outcome: Sendable, Equatable {
    case goesOn
    case line(String)
    /// The input has ended.
    case ended
  }

  private static let historyLimit = 500

  private var characters: [Character] = []
  private var cursor = 0
  private var history: [String] = []
  /// Index of the history's line that is shown; `history.count` for the new line.
  private var place = 0
  /// The new line, kept while lines of the history are shown.
  private var draft = ""

  var text: String { String(characters) }

  mutating func take(_ key: TypedKey) -> Outcome {
    switch key {
    case .character(let character):
      characters.insert(character, at: cursor)
      cursor += 1
    case .enter: return .line(finish())
    case .left: cursor = max(0, cursor - 1)
    case .right: cursor = min(characters.count, cursor + 1)
    case .begin: cursor = 0
    case .end: cursor = characters.count
    case .wordLeft: cursor = beginOfWord
    case .wordRight: cursor = endOfWord
    case .up: show(place - 1)
    case .down: show(place + 1)
    case .backspace: erase(max(0, cursor - 1)..<cursor)
    case .delete: erase(cursor..<min(characters.count, cursor + 1))
    case .eraseWord: erase(beginOfWord..<cursor)
    case .eraseToBegin: erase(0..<cursor)
    case .eraseToEnd: erase(cursor..<characters.count)
    case .endOfInput:
      if characters.isEmpty { return .ended }
      erase(cursor..<min(characters.count, cursor + 1))
    case .redraw: break
    }
    return .goesOn
  }

  private mutating func finish() -> String {
    let line = text
    if !line.isEmpty, history.last != line { history.append(line) }
    if history.count > LineEditor.historyLimit { history.removeFirst() }
    (characters, cursor, place, draft) = ([], 0, history.count, "")
    return line
  }

  private mutating func erase(_ range: Range<Int>) {
    characters.removeSubrange(range)
    cursor = range.lowerBound
  }

  private mutating func show(_ place: Int) {
    guard (0...history.count).contains(place), place != self.place else { return }
    if self.place == history.count { draft = text }
    self.place = place
    characters = Array(place == history.count ? draft : history[place])
    cursor = characters.count
  }

  private var beginOfWord: Int {
    var index = cursor
    while index > 0, characters[index - 1] == " " { index -= 1 }
    while index > 0, characters[index - 1] != " " { index -= 1 }
    return index
  }

  private var endOfWord: Int {
    var index = cursor
    while index < characters.count, characters[index] == " " { index += 1 }
    while index < characters.count, characters[index] != " " { index += 1 }
    return index
  }

  /// The part of the line around the cursor that fits into `columns`, and the cursor's column in it.
  func visible(columns: Int) -> (text: String, column: Int) {
    let room = max(1, columns)
    let before = characters[..<cursor].map(LineEditor.width)
    var (start, column) = (0, before.reduce(0, +))
    while column >= room, start < cursor {
      column -= before[start]
      start += 1
    }
    var (end, used) = (start, 0)
    while end < characters.count, used + LineEditor.width(characters[end]) < room {
      used += LineEditor.width(characters[end])
      end += 1
    }
    return (Printable.text(String(characters[start..<end]).replacing("\t", with: " ")), column)
  }

  /// The columns that a character takes: two for East Asian scripts and emoji, one otherwise.
  private static func width(_ character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first?.value else { return 0 }
    let wide: [ClosedRange<UInt32>] = [
      0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0x1F300...0x1FAFF,
      0x20000...0x3FFFD,
    ]
    return wide.contains { $0.contains(scalar) } ? 2 : 1
  }
}
