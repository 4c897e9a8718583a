import Foundation

/// Where disks are mounted (proc_pid_mountinfo(5)): read without touching them.
enum MountTable {
  /// The mount that the path is in, as far as it has no links; "/" if the system doesn't say.
  static func mount(of path: String, in table: String? = nil) -> String {
    let text = table ?? (try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)) ?? ""
    var best = "/"
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      // The fifth field: identifier, parent, device, root, mount point.
      let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
      guard fields.count > 4 else { continue }
      let point = unescaped(fields[4])
      if point.utf8.count > best.utf8.count, path == point || path.hasPrefix(point + "/") { best = point }
    }
    return best
  }

  /// Spaces, tabs, line ends and backslashes are three octal digits.
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
