/// One mapping of a process's address space, as described by a record of /proc/PID/smaps or a line of /proc/PID/maps. A value.
package struct MemoryRegion: Sendable, Equatable {
  /// The access that a process has to a region, and whether its writes are shared with other processes.
  package struct Permissions: Sendable, Hashable {
    package var isReadable: Bool
    package var isWritable: Bool
    package var isExecutable: Bool
    /// Whether the mapping is shared (MAP_SHARED); otherwise pages are copied when they are written (MAP_PRIVATE).
    package var isShared: Bool

    package init(isReadable: Bool = false, isWritable: Bool = false, isExecutable: Bool = false, isShared: Bool = false) {
      self.isReadable = isReadable
      self.isWritable = isWritable
      self.isExecutable = isExecutable
      self.isShared = isShared
    }

    /// Whether no access at all is permitted (PROT_NONE).
    package var isNone: Bool { !isReadable && !isWritable && !isExecutable }
  }

  /// The address of the first byte.
  package var start: UInt64
  /// The address after the last byte; above `start`.
  package var end: UInt64
  package var permissions: Permissions
  /// The offset in the mapped file at which the region begins, in bytes.
  package var offset: UInt64
  /// The inode number of the mapped file; 0 for anonymous memory.
  package var inode: UInt64
  /// The path of the mapped file, or the kernel's name in brackets (`[heap]`, `[anon:NAME]`); nil for anonymous memory without a name.
  ///
  /// The kernel writes a line feed as `\012`, and appends ` (deleted)` to the path of a file that has been removed.
  package var name: String?
  /// The bytes of the region that are in memory, modified and so on; all zeros if the source was /proc/PID/maps.
  package var usage: MemoryUsage
  /// The two-letter flags of the line `VmFlags`, as proc(5) lists them; empty if there was no such line.
  package var flags: [String]

  package init(
    start: UInt64, end: UInt64, permissions: Permissions, offset: UInt64 = 0, inode: UInt64 = 0, name: String? = nil,
    usage: MemoryUsage = MemoryUsage(), flags: [String] = []
  ) {
    self.start = start
    self.end = end
    self.permissions = permissions
    self.offset = offset
    self.inode = inode
    self.name = name
    self.usage = usage
    self.flags = flags
  }

  /// The region's size in bytes, whether in memory or not.
  package var size: UInt64 { end - start }

  /// Whether an address is in the region.
  package func contains(_ address: UInt64) -> Bool { start <= address && address < end }

  /// Whether the region maps a file with a path, rather than anonymous memory or memory that the kernel has named in brackets.
  package var isFile: Bool { name.map { !$0.hasPrefix("[") } ?? false }

  /// Whether the region is private anonymous memory without a name.
  package var isPlainAnonymous: Bool { name == nil && inode == 0 && !permissions.isShared }
}

extension MemoryRegion.Permissions: CustomStringConvertible {
  /// Parses the four characters of the permissions, such as `r-xp`; nil if they aren't valid.
  package init?(_ text: some Collection<UInt8>) {
    let letters = Array(text)
    guard letters.count == 4 else { return nil }
    for (letter, name) in zip(letters, "rwx".utf8) where letter != name && letter != UInt8(ascii: "-") { return nil }
    // The kernel writes `s` for a mapping that may be shared (VM_MAYSHARE), otherwise `p`.
    guard letters[3] == UInt8(ascii: "s") || letters[3] == UInt8(ascii: "p") else { return nil }
    self.init(
      isReadable: letters[0] == UInt8(ascii: "r"), isWritable: letters[1] == UInt8(ascii: "w"),
      isExecutable: letters[2] == UInt8(ascii: "x"), isShared: letters[3] == UInt8(ascii: "s"))
  }

  /// The permissions as in /proc/PID/maps, such as `rw-p`.
  package var description: String {
    (isReadable ? "r" : "-") + (isWritable ? "w" : "-") + (isExecutable ? "x" : "-") + (isShared ? "s" : "p")
  }
}
