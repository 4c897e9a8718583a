#if Inspector
  /// Finds the beginnings of lines. Offsets must be asked for in ascending order, so that each byte is scanned once.
  struct LineStarts {
    /// The largest indentation of a name, in bytes, whose value may continue on further lines.
    static let indentLimit = 256

    private var start = 0
    private var end = 0

    mutating func start(of index: Int, in text: [UInt8]) -> Int {
      if index > end {
        if let feed = text[end..<index].lastIndex(of: UInt8(ascii: "\n")) { start = feed + 1 }
        end = index
      }
      return start
    }
  }

  /// Finds the next occurrence of a word. Offsets must be asked for in ascending order, so that each byte is scanned once.
  struct Occurrence {
    private enum Known {
      case none
      case at(Int)
      case nowhere
    }

    private var known = Known.none

    mutating func first(_ word: StaticString, in text: [UInt8], from start: Int) -> Int? {
      switch known {
      case .at(let place) where place >= start: return place
      case .nowhere: return nil
      case .none, .at:
        let place = text.firstIndex(of: word, from: start)
        known = place.map { .at($0) } ?? .nowhere
        return place
      }
    }
  }

  /// Tells in which JSON string an offset is. Offsets must be asked for in ascending order, so that each byte is scanned once.
  struct StringLevels {
    /// The number of backslashes before the quotes of the innermost string; nil outside of strings.
    private var level: Int?
    private var backslashes = 0
    private var end = 0

    /// The number of backslashes before the quotes of the string that contains `index`.
    /// - Returns: nil outside of strings.
    mutating func level(at index: Int, in text: [UInt8]) -> Int? {
      while end < index {
        switch text[end] {
        // JSON strings contain no unescaped line ends, so a line end means that there is no string.
        case UInt8(ascii: "\r"), UInt8(ascii: "\n"): level = nil
        case UInt8(ascii: "\""):
          if let outer = level {
            level = [UInt8].closing(backslashes, outer).map { $0 == 0 ? nil : $0 / 2 } ?? outer * 2 + 1
          } else {
            level = backslashes % 2 == 1 ? backslashes : 0
          }
        default: break
        }
        backslashes = text[end] == UInt8(ascii: "\\") ? backslashes + 1 : 0
        end += 1
      }
      return level
    }
  }
#endif
