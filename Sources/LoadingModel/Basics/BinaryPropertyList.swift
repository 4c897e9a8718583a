import Foundation

/// Checks binary property lists before Foundation reads them. Foundation's reader ends the process for some content that this library never
/// writes: sets, UIDs of archives, containers that contain themselves.
package enum BinaryPropertyList {
  /// The most containers inside one another.
  private static let depthLimit = 64
  /// The most objects, each counted at every reference to it: in few bytes, containers may refer to the same objects very often.
  private static let visitLimit = 100_000

  /// Whether `data` contains only dictionaries with strings as keys, arrays, strings, data, dates, numbers and Booleans.
  package static func isSound(_ data: Data) -> Bool {
    guard data.starts(with: Data("bplist0".utf8)), var walk = Walk([UInt8](data)) else { return false }
    return walk.isSound(walk.top, depth: 0)
  }

  /// The kind of an object, in the upper half of its first byte.
  private enum Kind {
    static let (simple, integer, real, date, data, ascii, utf16, array, dictionary):
      (
        UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
      ) = (0x0, 0x1, 0x2, 0x3, 0x4, 0x5, 0x6, 0xA, 0xD)
  }

  private struct Walk {
    private static let trailerLength = 32
    private static let headerLength = 8

    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let count: Int
    private let table: Int
    let top: Int
    private var visits = 0

    /// nil unless the trailer fits the list's length: sizes of offsets and references, number of objects, the top object, place of the offset
    /// table.
    init?(_ bytes: [UInt8]) {
      self.bytes = bytes
      guard bytes.count > Walk.headerLength + Walk.trailerLength else { return nil }
      let trailer = bytes.count - Walk.trailerLength
      (offsetSize, referenceSize) = (Int(bytes[trailer + 6]), Int(bytes[trailer + 7]))
      guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
        let count = Walk.number(bytes, at: trailer + 8, 8), let top = Walk.number(bytes, at: trailer + 16, 8),
        let table = Walk.number(bytes, at: trailer + 24, 8), table >= Walk.headerLength, table <= trailer, top < count,
        count <= (trailer - table) / offsetSize
      else { return nil }
      (self.count, self.top, self.table) = (count, top, table)
    }

    private static func number(_ bytes: [UInt8], at place: Int, _ size: Int) -> Int? {
      guard place >= 0, size <= bytes.count, place <= bytes.count - size else { return nil }
      return Int(exactly: bytes[place..<(place + size)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    mutating func isSound(_ object: Int, depth: Int, isKey: Bool = false) -> Bool {
      visits += 1
      guard depth < depthLimit, visits <= visitLimit, object < count,
        let place = Walk.number(bytes, at: table + object * offsetSize, offsetSize), place >= Walk.headerLength, place < table
      else { return false }
      let (kind, low) = (bytes[place] >> 4, Int(bytes[place] & 0xF))
      if isKey, kind != Kind.ascii, kind != Kind.utf16 { return false }
      switch kind {
      case Kind.simple: return low == 8 || low == 9
      case Kind.integer: return low <= 3 ? fits(place + 1, 1 << low) : low == 4 && isUnsigned(place + 1)
      case Kind.real: return (low == 2 || low == 3) && fits(place + 1, 1 << low)
      case Kind.date: return low == 3 && isDate(place + 1)
      case Kind.data, Kind.ascii, Kind.utf16, Kind.array, Kind.dictionary:
        guard let (length, start) = length(place, low) else { return false }
        return isSound(kind, length, start, depth)
      default: return false
      }
    }

    /// Checks an object that has a length: data, a string, or a container with all that it contains.
    private mutating func isSound(_ kind: UInt8, _ length: Int, _ start: Int, _ depth: Int) -> Bool {
      switch kind {
      case Kind.data: return fits(start, length)
      case Kind.ascii: return fits(start, length) && bytes[start..<(start + length)].allSatisfy { $0 < 0x80 }
      case Kind.utf16: return length <= bytes.count && fits(start, 2 * length)
      default:
        let isDictionary = kind == Kind.dictionary
        let references = isDictionary ? 2 * length : length
        guard fits(start, references * referenceSize) else { return false }
        for index in 0..<references {
          guard let object = Walk.number(bytes, at: start + index * referenceSize, referenceSize),
            isSound(object, depth: depth + 1, isKey: isDictionary && index < length)
          else { return false }
        }
        return true
      }
    }

    /// The length of an object, in elements, and where its content begins. 15 in the lower half of the first byte means that an integer with the
    /// length follows.
    private func length(_ place: Int, _ low: Int) -> (Int, start: Int)? {
      guard low == 0xF else { return (low, place + 1) }
      guard place + 1 < table, bytes[place + 1] >> 4 == Kind.integer, bytes[place + 1] & 0xF <= 3 else { return nil }
      let size = 1 << Int(bytes[place + 1] & 0xF)
      guard let length = Walk.number(bytes, at: place + 2, size), length <= bytes.count else { return nil }
      return (length, place + 2 + size)
    }

    private func fits(_ start: Int, _ length: Int) -> Bool { start <= table && length <= table - start }

    /// An integer of 16 bytes: only unsigned 64-bit numbers are written so, with zeros in the first eight bytes.
    private func isUnsigned(_ place: Int) -> Bool { fits(place, 16) && bytes[place..<(place + 8)].allSatisfy { $0 == 0 } }

    private func isDate(_ place: Int) -> Bool {
      guard fits(place, 8) else { return false }
      return Double(bitPattern: bytes[place..<(place + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }).isFinite
    }
  }
}
