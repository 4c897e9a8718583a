import Foundation

/// What a stopped process had in its memory: copies of all that it may have written, and its mappings. What it only read is read when it is
/// asked for, from the process itself, as long as that lives. Used by one thread at a time.
package final class MemorySnapshot {
  package let process: Int32
  package let regions: [MemoryRegion]
  package let threads: [StoppedThread]
  /// In the order of their addresses.
  package let copies: [CopiedRegion]
  let record: BlockRecord
  /// The library's own memory, in which references aren't looked for.
  let ownRanges: [Range<UInt64>]
  /// What the record says of each region's addresses, by the region's number. A copy as well: blocks that were allocated since aren't in the
  /// memory which was copied.
  let entries: [UInt64: CopiedRegion]
  let file: MemoryFile
  private var lastCopy = 0
  private var chunks: [UInt64: [UInt8]] = [:]
  private static let chunkSize: UInt64 = 4096

  /// Why there is no snapshot.
  package enum Failure: Error, Equatable {
    /// The process can't be stopped or read; the system's error number.
    case unreadable(Int32)
    /// No record of blocks is where the library said.
    case noRecord
    /// The process was reallocating a block: another attempt succeeds.
    case reallocating
  }

  /// Copies the memory of a stopped process.
  /// - Parameter record: The address of the library's record.
  package init(_ stopped: StoppedProcess, record address: UInt64) throws(Failure) {
    process = stopped.identifier
    threads = stopped.threads
    do { file = try MemoryFile(stopped.identifier) } catch { throw .unreadable(error.code) }
    switch ProcessFiles(process: stopped.identifier).bytes("maps") {
    case .success(let text): regions = MapText(text).regions
    case .failure(let error): throw .unreadable(error.code)
    }
    guard let record = BlockRecord(at: address, in: file) else { throw .noRecord }
    guard record.reallocations == 0 else { throw .reallocating }
    self.record = record
    let entryRanges = record.entries(in: file).mapValues { $0..<($0 + record.entriesSize) }
    var entries: [UInt64: CopiedRegion] = [:]
    for (region, range) in entryRanges {
      let runs = file.runs(.present, from: range.lowerBound, to: range.upperBound)
      entries[region] = CopiedRegion(file, from: range.lowerBound, to: range.upperBound, runs: runs, isComplete: true)
    }
    self.entries = entries
    let own = record.tables + entryRanges.values
    ownRanges = own.sorted { $0.lowerBound < $1.lowerBound }
    var copies: [CopiedRegion] = []
    for region in regions where MemorySnapshot.isCopied(region) {
      for range in MemorySnapshot.subtract(ownRanges, from: region.start..<region.end) {
        let isWhole = region.isFile && region.permissions.isWritable && !region.permissions.isShared
        let selection: MemoryFile.PageSelection = region.isFile && !region.permissions.isShared ? .modified : .present
        let runs =
          isWhole
          ? [MemoryFile.PageRun(start: range.lowerBound, end: range.upperBound)]
          : file.runs(selection, from: range.lowerBound, to: range.upperBound)
        // Pages of a constant part of a file that it hasn't changed can hold no reference to a block.
        if region.isFile, runs.isEmpty { continue }
        let copy = CopiedRegion(file, from: range.lowerBound, to: range.upperBound, runs: runs, isComplete: isWhole || !region.isFile)
        if let copy { copies.append(copy) }
      }
    }
    self.copies = copies
    // Its threads run on as soon as nothing refers to it.
    withExtendedLifetime(stopped) {}
  }

  /// Whether a region may hold references: it isn't the kernel's, and no unchanging file.
  private static func isCopied(_ region: MemoryRegion) -> Bool {
    guard region.permissions.isReadable, region.name?.hasPrefix("[v") != true else { return false }
    // Devices may block or change when they are read.
    if let name = region.name, name.hasPrefix("/dev/"), !name.hasPrefix("/dev/shm/"), !name.hasPrefix("/dev/zero") { return false }
    return region.permissions.isWritable || !region.permissions.isShared
  }

  /// The parts of a range that are in none of the others, which are sorted.
  static func subtract(_ others: [Range<UInt64>], from range: Range<UInt64>) -> [Range<UInt64>] {
    var parts: [Range<UInt64>] = []
    var start = range.lowerBound
    for other in others where other.overlaps(range) {
      if other.lowerBound > start { parts.append(start..<other.lowerBound) }
      start = max(start, other.upperBound)
    }
    if start < range.upperBound { parts.append(start..<range.upperBound) }
    return parts
  }

  /// The mapping that an address is in.
  package func region(containing address: UInt64) -> MemoryRegion? {
    var (low, high) = (0, regions.count)
    while low < high {
      let middle = (low + high) / 2
      if regions[middle].end <= address { low = middle + 1 } else { high = middle }
    }
    return low < regions.count && regions[low].contains(address) ? regions[low] : nil
  }

  /// The copy that an address is in.
  package func copy(containing address: UInt64) -> CopiedRegion? {
    if lastCopy < copies.count, copies[lastCopy].contains(address) { return copies[lastCopy] }
    var (low, high) = (0, copies.count)
    while low < high {
      let middle = (low + high) / 2
      if copies[middle].end <= address { low = middle + 1 } else { high = middle }
    }
    guard low < copies.count, copies[low].contains(address) else { return nil }
    lastCopy = low
    return copies[low]
  }
}

// MARK: - Reading values

extension MemorySnapshot {
  /// A value at an address, aligned or not; nil where it can't be read.
  func value<Value: FixedWidthInteger>(at address: UInt64, as type: Value.Type = Value.self) -> Value? {
    let size = UInt64(MemoryLayout<Value>.size)
    guard address < 1 << 56 else { return nil }
    if let copy = copy(containing: address), copy.isComplete, address + size <= copy.end {
      return copy.bytes(from: address, to: address + size).loadUnaligned(as: Value.self)
    }
    var result: Value = 0
    for index in 0..<size {
      guard let byte = byte(at: address + index) else { return nil }
      result |= Value(truncatingIfNeeded: byte) << Value(truncatingIfNeeded: index * 8)
    }
    return result
  }

  func word(at address: UInt64) -> UInt64? { value(at: address) }

  /// The address that a relative reference of 32 bits at `address` means; nil where it is empty.
  func relative(at address: UInt64) -> UInt64? {
    guard let offset: Int32 = value(at: address), offset != 0 else { return nil }
    return address &+ UInt64(bitPattern: Int64(offset))
  }

  /// The address that a relative reference means whose lowest bit says that the address lies where it points to.
  func indirectRelative(at address: UInt64) -> UInt64? {
    guard let target = relative(at: address) else { return nil }
    return target & 1 == 1 ? word(at: target & ~1) : target
  }

  /// The bytes before the next zero; nil if there are none within `limit`.
  func string(at address: UInt64, limit: Int = 512) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < limit, let byte = byte(at: address &+ UInt64(bytes.count)) {
      if byte == 0 { return bytes }
      bytes.append(byte)
    }
    return nil
  }

  func byte(at address: UInt64) -> UInt8? {
    if let copy = copy(containing: address), copy.isComplete {
      return copy.bytes(from: address, to: address + 1).first
    }
    guard address < 1 << 56 else { return nil }
    let base = address & ~(MemorySnapshot.chunkSize - 1)
    if chunks[base] == nil {
      var chunk = [UInt8](repeating: 0, count: Int(MemorySnapshot.chunkSize))
      let count = chunk.withUnsafeMutableBytes { file.read(base, into: $0) }
      chunks[base] = Array(chunk.prefix(count))
    }
    guard let chunk = chunks[base], address - base < UInt64(chunk.count) else { return nil }
    return chunk[Int(address - base)]
  }
}
