import Foundation

/// Reads files whose content the kernel makes when they are read, such as those below /proc.
///
/// Their size is said to be 0. Foundation's functions end with the first piece of such a file, which has 4 KiB at most.
package enum SystemFile {
  /// The most that is read of a file: 16 MiB.
  private static let limit = 16 << 20

  /// The text of a file; nil if it can't be read. Bytes that aren't UTF-8 are replaced.
  package static func text(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var content: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while content.count < limit {
      let count = piece.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        content += piece[..<count]
      } else if count == 0 {
        break
      } else if errno != EINTR {
        return nil
      }
    }
    return String(decoding: content, as: UTF8.self)
  }
}
