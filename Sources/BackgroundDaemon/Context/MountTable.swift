import LoadingModel

/// Finds the mount point of a path from /proc/self/mountinfo (proc_pid_mountinfo(5)), without touching the disk, which could hang.
enum MountTable {
  /// The longest mount point that is a prefix of `path`; "/" if there is none, or the table can't be read. Symbolic links in the path aren't
  /// resolved.
  static func mount(of path: String, in table: String? = nil) -> String {
    let text = table ?? SystemFile.text("/proc/self/mountinfo") ?? ""
    var best = "/"
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      // The fields are identifier, parent, device, root, mount point: the fifth counts.
      let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
      guard fields.count > 4 else { continue }
      let point = unescaped(fields[4])
      if point.utf8.count > best.utf8.count, path == point || path.hasPrefix(point + "/") { best = point }
    }
    return best
  }

  /// Decodes the octal escapes (`\040`) by which mountinfo writes spaces, tabs, line ends and backslashes.
  private static func unescaped(_ field: Substring.UTF8View.SubSequence) -> String {
    var bytes: [UInt8] = []
    var rest = field[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      guard byte == UInt8(ascii: "\\"), digits.count == 3, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8) else {
        bytes.append(byte)
        continue
      }
      bytes.append(value)
      rest = rest.dropFirst(3)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
