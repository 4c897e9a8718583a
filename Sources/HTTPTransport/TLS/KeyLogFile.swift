import CLoadingBoringSSL
import Foundation
import LoadingModel

/// The file named by the environment variable `SSLKEYLOGFILE`, to which the secrets of TLS connections (TCP and QUIC) are appended in NSS Key Log
/// Format: programs such as Wireshark decrypt captured traffic with it.
///
/// Opened at the first TLS connection that uses it; a new file is readable by its owner alone.
struct KeyLogFile: Sendable {
  static let variable = "SSLKEYLOGFILE"

  /// The most files that are opened: a daemon is given a name by each of its sessions.
  private static let limit = 16
  private static let opened = Mutex<[String: KeyLogFile?]>([:])

  let descriptor: Int32

  /// The file at `path`; nil if it can't be opened.
  static func file(at path: String) -> KeyLogFile? {
    opened.withLock { opened in
      if let known = opened[path] { return known }
      guard opened.count < limit else { return nil }
      let file = KeyLogFile(opening: path)
      opened[path] = .some(file)
      return file
    }
  }

  private init?(opening path: String) {
    // Without O_NONBLOCK a pipe that has no reader would hold up the event loop.
    descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else {
      let reason = String(cString: strerror(errno))
      FileHandle.standardError.write(Data("URLLoadingSystem: \(KeyLogFile.variable): \(path) can't be opened: \(reason)\n".utf8))
      return nil
    }
  }
}
