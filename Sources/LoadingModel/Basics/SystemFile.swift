import Foundation

/// Reads files whose content the kernel makes when they are read, such as those below /proc.
///
/// Their size is said to be 0. Foundation's functions end with the first piece of such a file, which has 4 KiB at most.
package enum SystemFile {
  /// Why a file can't be read.
  package struct Failure: Error, Equatable {
    /// The system's error number.
    package let code: Int32
  }

  /// The text of a file; nil if it can't be read. Bytes that aren't UTF-8 are replaced.
  package static func text(_ path: String) -> String? { (try? bytes(path).get()).map { String(decoding: $0, as: UTF8.self) } }

  /// The kernel's boot identifier, which differs after each reboot; nil where it can't be read.
  package static var bootIdentifier: String? {
    let text = text("/proc/sys/kernel/random/boot_id")?.trimmingCharacters(in: .whitespacesAndNewlines)
    return text?.isEmpty == false ? text : nil
  }

  /// The whole content of a file.
  package static func bytes(_ path: String) -> Result<[UInt8], Failure> {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return .failure(Failure(code: errno)) }
    defer { close(descriptor) }
    var content: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = piece.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count == 0 { return .success(content) }
      if count > 0 { content += piece[..<count] } else if errno != EINTR { return .failure(Failure(code: errno)) }
    }
  }
}
