import Foundation

/// The symbols of a 64-bit ELF file: of its symbol table (.symtab), or if that has been stripped, its dynamic symbols (.dynsym).
struct ImageSymbols {
  /// A function or variable. Its address is that in the file, before the file is loaded.
  private struct Symbol {
    let address: UInt64
    let size: UInt64
    let name: UInt64
  }

  private struct Section {
    let type: UInt32
    let offset: UInt64
    let size: UInt64
    let link: UInt32
  }

  private let bytes: Data
  private var symbols: [Symbol] = []
  private var names: (offset: UInt64, size: UInt64) = (0, 0)
  /// The lowest loaded address in the file, rounded down to a page: the address of the image's first byte in memory.
  private(set) var firstAddress: UInt64 = 0

  private static let loadable: UInt32 = 1
  private static let symbolTable: UInt32 = 2
  private static let dynamicSymbols: UInt32 = 11

  /// Reads a file; nil if it isn't a 64-bit ELF file.
  init?(path: String) {
    guard let bytes = try? Data(contentsOf: URL(filePath: path), options: .alwaysMapped), bytes.count >= 64,
      bytes.prefix(5).elementsEqual([0x7F, 0x45, 0x4C, 0x46, 2])
    else { return nil }
    self.bytes = bytes
    readFirstAddress()
    let sections = readSections()
    let table = sections.first { $0.type == ImageSymbols.symbolTable } ?? sections.first { $0.type == ImageSymbols.dynamicSymbols }
    guard let table, Int(table.link) < sections.count else { return }
    names = (sections[Int(table.link)].offset, sections[Int(table.link)].size)
    readSymbols(table)
  }

  /// The name of the symbol that contains an address of the file, and the distance of the address from the symbol's start.
  func symbol(atAddress address: UInt64) -> (name: String, distance: UInt64)? {
    var (low, high) = (0, symbols.count)
    while low < high {
      let middle = (low + high) / 2
      if symbols[middle].address <= address { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let symbol = symbols[low - 1]
    guard address - symbol.address < max(symbol.size, 1), let name = string(symbol.name) else { return nil }
    return (SwiftDemangling.text(name) ?? CDemangling.text(name) ?? name, address - symbol.address)
  }

  private func value<Value: FixedWidthInteger>(_ offset: UInt64, _ type: Value.Type = Value.self) -> Value? {
    guard offset < UInt64(bytes.count), UInt64(bytes.count) - offset >= UInt64(MemoryLayout<Value>.size) else { return nil }
    return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: Int(offset), as: Value.self) }
  }

  private func string(_ offset: UInt64) -> String? {
    guard offset < names.size, names.offset < UInt64(bytes.count), names.size <= UInt64(bytes.count) - names.offset else { return nil }
    let text = bytes[Int(names.offset + offset)..<Int(names.offset + names.size)].prefix { $0 != 0 }
    return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
  }

  private mutating func readFirstAddress() {
    guard let table: UInt64 = value(32), let size: UInt16 = value(54), let count: UInt16 = value(56), size >= 56 else { return }
    let addresses = (0..<UInt64(count)).compactMap { index -> UInt64? in
      let (start, overflow) = table.addingReportingOverflow(index * UInt64(size))
      guard !overflow, value(start) == ImageSymbols.loadable else { return nil }
      return value(start + 16)
    }
    firstAddress = (addresses.min() ?? 0) & ~(PageMap.pageSize - 1)
  }

  private func readSections() -> [Section] {
    guard let table: UInt64 = value(40), let size: UInt16 = value(58), let count: UInt16 = value(60), size >= 64 else { return [] }
    return (0..<UInt64(count)).compactMap { index in
      let (start, overflow) = table.addingReportingOverflow(index * UInt64(size))
      guard !overflow, let type: UInt32 = value(start + 4), let offset: UInt64 = value(start + 24), let length: UInt64 = value(start + 32),
        let link: UInt32 = value(start + 40)
      else { return nil }
      return Section(type: type, offset: offset, size: length, link: link)
    }
  }

  private mutating func readSymbols(_ table: Section) {
    guard table.offset < UInt64(bytes.count), table.size <= UInt64(bytes.count) - table.offset else { return }
    var found: [Symbol] = []
    bytes.withUnsafeBytes { bytes in
      for start in stride(from: Int(table.offset), to: Int(table.offset + table.size) - 23, by: 24) {
        let kind = bytes[start + 4] & 0xF
        let section = bytes.loadUnaligned(fromByteOffset: start + 6, as: UInt16.self)
        // Only functions and variables that are defined in this file: type STT_OBJECT or STT_FUNC, and a section other than SHN_UNDEF.
        guard kind == 1 || kind == 2, section != 0 else { continue }
        found.append(
          Symbol(
            address: bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self),
            size: bytes.loadUnaligned(fromByteOffset: start + 16, as: UInt64.self),
            name: UInt64(bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self))))
      }
    }
    symbols = found.sorted { $0.address < $1.address }
  }
}
