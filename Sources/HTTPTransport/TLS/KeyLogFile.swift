import CLoadingBoringSSL
import Foundation
import LoadingModel

/// A file that an app has named in the environment variable `SSLKEYLOGFILE`: the secrets of its TLS connections are appended to it, over TCP
/// and QUIC, in the format of NSS, by which programs such as Wireshark decrypt captured traffic.
///
/// Opened once, at the first TLS connection that it is for, readable by its owner alone where it is made.
struct KeyLogFile: Sendable {
  static let variable = "SSLKEYLOGFILE"

  /// Files that are opened: a daemon can be given many names.
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
