@testable import ProcessMemory

/// The memory of a process that a test has written: pages of zeros with some words in them.
struct WrittenMemory {
  private var words: [UInt64: UInt64] = [:]

  /// Writes consecutive words; the page around them is readable then.
  mutating func write(_ address: UInt64, _ values: UInt64...) {
    words[address & ~4095] = words[address & ~4095] ?? 0
    for (index, value) in values.enumerated() { words[address + UInt64(index) * 8] = value }
  }

  func read(_ address: UInt64, _ count: Int) -> [UInt64]? {
    let addresses = (0..<UInt64(count)).map { address &+ $0 &* 8 }
    guard addresses.allSatisfy({ words[$0 & ~4095] != nil }) else { return nil }
    return addresses.map { words[$0] ?? 0 }
  }

  /// A heap of malloc at `start`: the first of its arena, in use and accessible up to `accessible` bytes.
  ///
  /// - Parameter offset: Where the arena's counts are in its state: 2160 up to glibc 2.42, 2072 from 2.43 on. In the older layout there are addresses
  /// before them.
  mutating func writeArena(_ start: UInt64, accessible: UInt64, threads: UInt64, countsAt offset: UInt64 = 2160) {
    write(start, start + 48, 0, accessible, accessible, 4096)
    for place in stride(from: 104, to: offset, by: 8) { write(start + 48 + place, start + 48 + place - 16) }
    write(start + 48 + offset, start + 48, 0, threads, accessible, accessible)
  }

  /// A descriptor of glibc's for a thread, at the end of its stack.
  mutating func writeDescriptor(stackEnd: UInt64, thread: Int32) {
    let descriptor = stackEnd - 2304
    for page in 1...2 as ClosedRange<UInt64> { write(stackEnd - page * 4096, 0) }
    write(descriptor, descriptor, 0, descriptor)
    write(descriptor + 720, UInt64(UInt32(bitPattern: thread)) | 0xAAAA_0000_0000_0000)
  }
}

extension MemoryRegion {
  /// A region by the text of its permissions; `size` in bytes.
  init(_ start: UInt64, size: UInt64, _ permissions: String, _ name: String? = nil, offset: UInt64 = 0, flags: [String] = []) {
    let isFile = name.map { !$0.hasPrefix("[") } ?? false
    self.init(
      start: start, end: start + size, permissions: Permissions(permissions.utf8) ?? Permissions(), offset: offset,
      inode: isFile ? 7 : 0, name: name, flags: flags)
  }
}
