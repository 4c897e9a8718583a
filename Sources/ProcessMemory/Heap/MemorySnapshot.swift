import Foundation

/// The memory of a process at the moment when it was stopped: copies of all memory that it may have written, and its mappings. Read-only memory is
/// read from the process itself when needed, as long as it lives. Used by one thread at a time.
package final class MemorySnapshot {
  package let process: Int32
  /// The mappings, in which a guard is one of its own (`GuardedRegions`).
  package let regions: [MemoryRegion]
  package let threads: [StoppedThread]
  /// The copied ranges, sorted by address.
  package let copies: [CopiedRegion]
  let record: BlockRecord
  /// The memory of the preloaded library itself, which isn't searched for references.
  let ownRanges: [Range<UInt64>]
  /// Copies of the record's entries, by the region's number. They are copied with the rest, because blocks that are allocated later aren't in the
  /// copied memory.
  let entries: [UInt64: CopiedRegion]
  let file: MemoryFile
  private var lastCopy = 0
  private var chunks: [UInt64: [UInt8]] = [:]
  private static let chunkSize: UInt64 = 4096

  /// Why a snapshot couldn't be made.
  package enum Failure: Error, Equatable {
    /// The process can't be stopped or read, with the system's error number.
    case unreadable(Int32)
    /// There is no record at the address that the library has reported.
    case noRecord
    /// The process was in the middle of a realloc call; another attempt may succeed.
    case reallocating
  }

  /// Copies the memory of a stopped process.
  /// - Parameters:
  ///   - stopped: The process, which must stay stopped during the call.
  ///   - address: The address of the library's record.
  package init(_ stopped: StoppedProcess, record address: UInt64) throws(Failure) {
    process = stopped.identifier
    threads = stopped.threads
    let file: MemoryFile
    do { file = try MemoryFile(stopped.identifier) } catch { throw .unreadable(error.code) }
    self.file = file
    switch ProcessFiles(process: stopped.identifier).bytes("maps") {
    case .success(let text): regions = GuardedRegions.split(MapText(text).regions, in: file.pages)
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
        // Pages of a read-only part of a file that the process hasn't modified can't contain a reference to a block.
        if region.isFile, runs.isEmpty { continue }
        let copy = CopiedRegion(file, from: range.lowerBound, to: range.upperBound, runs: runs, isComplete: isWhole || !region.isFile)
        if let copy { copies.append(copy) }
      }
    }
    self.copies = copies
    // The threads continue to run when `stopped` is released, so it must live until here.
    withExtendedLifetime(stopped) {}
  }

  /// Whether a region may contain references to blocks: not regions of the kernel, devices, and shared read-only mappings.
  private static func isCopied(_ region: MemoryRegion) -> Bool {
    guard region.permissions.isReadable, region.name?.hasPrefix("[v") != true else { return false }
    // Reading a device's memory may block or change the device's state.
    if let name = region.name, name.hasPrefix("/dev/"), !name.hasPrefix("/dev/shm/"), !name.hasPrefix("/dev/zero") { return false }
    return region.permissions.isWritable || !region.permissions.isShared
  }

  /// The parts of a range that are outside of all `others`, which must be sorted.
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

  /// The mapping that contains an address; nil if there is none.
  package func region(containing address: UInt64) -> MemoryRegion? {
    var (low, high) = (0, regions.count)
    while low < high {
      let middle = (low + high) / 2
      if regions[middle].end <= address { low = middle + 1 } else { high = middle }
    }
    return low < regions.count && regions[low].contains(address) ? regions[low] : nil
  }

  /// The copy that contains an address; nil if there is none.
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
  /// The integer at an address, aligned or not; nil if it can't be read.
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

  /// The target of the 32-bit relative reference at `address`, as Swift's metadata uses them; nil if the reference is 0.
  func relative(at address: UInt64) -> UInt64? {
    guard let offset: Int32 = value(at: address), offset != 0 else { return nil }
    return address &+ UInt64(bitPattern: Int64(offset))
  }

  /// The target of a relative reference that may be indirect: if its lowest bit is set, it refers to a word that holds the target's address.
  func indirectRelative(at address: UInt64) -> UInt64? {
    guard let target = relative(at: address) else { return nil }
    return target & 1 == 1 ? word(at: target & ~1) : target
  }

  /// The bytes of the C string at an address, without its zero byte; nil if it has no end within `limit` bytes.
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
