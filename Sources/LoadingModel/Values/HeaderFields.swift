/// An ordered list of header fields whose names are compared case-insensitively (RFC 9110, 5.1).
///
/// Order and repetition are kept as received; it is for the reader to join repeated fields into one.
package struct HeaderFields: Sendable, Hashable {
  package typealias Entry = (name: String, value: String)

  package private(set) var entries: [Entry]

  @inlinable package init() { entries = [] }
  package init(_ entries: [Entry]) { self.entries = entries }

  package var isEmpty: Bool { entries.isEmpty }
  package var count: Int { entries.count }

  /// The first value stored under `name`.
  package func first(_ name: String) -> String? {
    for entry in entries where entry.name.isSameField(name) { return entry.value }
    return nil
  }

  /// Every value stored under `name`, in order.
  package func all(_ name: String) -> [String] {
    entries.filter { $0.name.equalsIgnoringCase(name) }.map(\.value)
  }

  /// Every value under `name`, joined with ", " as one list (RFC 9110, 5.3); nil if the field is absent.
  package func joined(_ name: String) -> String? {
    var result: String?
    for entry in entries where entry.name.equalsIgnoringCase(name) {
      guard result != nil else {
        result = entry.value
        continue
      }
      // In place: a copy for each of thousands of fields would take time with the square of their number.
      result?.append(", ")
      result?.append(entry.value)
    }
    return result
  }

  package func contains(_ name: String) -> Bool {
    entries.contains { $0.name.isSameField(name) }
  }

  /// Whether the comma-separated list in the fields called `name` has `token`, compared case-insensitively.
  package func listContains(_ name: String, token: String) -> Bool {
    for entry in entries where entry.name.equalsIgnoringCase(name) {
      for element in entry.value.utf8.split(separator: UInt8(ascii: ",")) {
        if Substring(element).trimmingSpaces().equalsIgnoringCase(token) { return true }
      }
    }
    return false
  }

  package mutating func add(_ name: String, _ value: String) { entries.append((name, value)) }

  /// Replaces every field called `name` by one, at the position of the first.
  package mutating func set(_ name: String, _ value: String) {
    guard let index = entries.firstIndex(where: { $0.name.equalsIgnoringCase(name) }) else {
      entries.append((name, value))
      return
    }
    entries[index] = (name, value)
    var next = index + 1
    while next < entries.count {
      if entries[next].name.equalsIgnoringCase(name) { entries.remove(at: next) } else { next += 1 }
    }
  }

  package mutating func remove(_ name: String) {
    entries.removeAll { $0.name.equalsIgnoringCase(name) }
  }

  /// The fields with each value replaced by what `replacement` returns for its name and value; nil keeps a value. If nothing is replaced, the
  /// copy shares its memory.
  package func replacingValues(_ replacement: (String, String) -> String?) -> HeaderFields {
    var result = self
    for (index, entry) in entries.enumerated() {
      if let value = replacement(entry.name, entry.value) { result.entries[index].value = value }
    }
    return result
  }

  package mutating func reserveCapacity(_ count: Int) { entries.reserveCapacity(count) }

  package static func == (lhs: HeaderFields, rhs: HeaderFields) -> Bool {
    lhs.entries.elementsEqual(rhs.entries) { $0.name == $1.name && $0.value == $1.value }
  }

  package func hash(into hasher: inout Hasher) {
    for entry in entries {
      hasher.combine(entry.name)
      hasher.combine(entry.value)
    }
  }
}

extension String {
  /// Whether both names are equal case-insensitively. Most names differ in length already.
  // Inlined, within this module, because it is called for each field of each head: comparing the lengths then costs no call.
  @inline(__always)
  package func isSameField(_ other: String) -> Bool {
    utf8.count == other.utf8.count && equalsIgnoringCase(other)
  }
}

extension String {
  /// Compares ASCII letters case-insensitively, as HTTP means the word.
  // For this type only: a generic function would be called from other modules through tables, for each byte.
  package func equalsIgnoringCase(_ other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    // Over the strings' own bytes: iterators of strings cost several times as much.
    let result = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in
        for index in 0..<left.count where left[index] != right[index] {
          guard left[index].lowercasedASCII == right[index].lowercasedASCII else { return false }
        }
        return true
      }
    }
    if case .some(.some(let isEqual)) = result { return isEqual }
    return utf8.elementsEqual(other.utf8) { $0.lowercasedASCII == $1.lowercasedASCII }
  }
}

extension StringProtocol {
  /// Compares ASCII letters case-insensitively, as HTTP means the word.
  package func equalsIgnoringCase(_ other: some StringProtocol) -> Bool {
    var left = utf8.makeIterator()
    var right = other.utf8.makeIterator()
    while true {
      switch (left.next(), right.next()) {
      case (nil, nil): return true
      case (let a?, let b?):
        if a == b { continue }
        guard a.lowercasedASCII == b.lowercasedASCII else { return false }
      case (nil, _), (_, nil): return false
      }
    }
  }
}

extension Substring {
  /// The text without leading and trailing spaces and tabs (OWS; RFC 9110, 5.6.3).
  package func trimmingSpaces() -> Substring {
    var rest = self
    while let first = rest.utf8.first, first == 0x20 || first == 0x09 { rest = Substring(rest.utf8.dropFirst()) }
    while let last = rest.utf8.last, last == 0x20 || last == 0x09 { rest = Substring(rest.utf8.dropLast()) }
    return rest
  }
}

extension String {
  package func trimmingSpaces() -> String { String(self[...].trimmingSpaces()) }
}

extension UInt8 {
  package var lowercasedASCII: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }
}
