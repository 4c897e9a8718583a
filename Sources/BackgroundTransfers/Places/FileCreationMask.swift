import Foundation
import LoadingModel

/// The permissions that a process takes from the files it makes: its umask. umask(2) tells it only by setting another one; the kernel also lists it.
package enum FileCreationMask {
  /// The mask for files that only their owner may read and write.
  package static let ownerOnly: mode_t = 0o077

  /// The mask of this process; `ownerOnly` if it can't be read.
  package static var ofProcess: mode_t {
    SystemFile.text("/proc/self/status").flatMap { mask(inStatus: $0) } ?? ownerOnly
  }

  /// Reads the mask from the text of /proc/PID/status (proc_pid_status(5)); nil if there is none.
  static func mask(inStatus text: String) -> mode_t? {
    text.split(separator: "\n").first { $0.hasPrefix("Umask:") }
      .flatMap { mode_t($0.dropFirst("Umask:".count).trimmingCharacters(in: .whitespaces), radix: 8) }
  }
}
