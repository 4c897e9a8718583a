import CLoadingBoringSSL
import Foundation

/// The file that the environment variable `SSLKEYLOGFILE` names: the secrets of all TLS connections are appended to it, over TCP and QUIC, in
/// the format of NSS, by which programs such as Wireshark decrypt captured traffic.
///
/// Opened once, at the process's first TLS connection, readable by its owner alone where it is made. A process that runs with more rights
/// than its caller (set-user-ID, file capabilities) ignores the variable.
struct KeyLogFile: Sendable {
  static let variable = "SSLKEYLOGFILE"

  /// This process's; nil if there is none, or it can't be opened.
  static let ofProcess = KeyLogFile(environment: ProcessInfo.processInfo.environment, isPrivileged: uls_tls_process_is_privileged() != 0)

  let descriptor: Int32

  init?(environment: [String: String], isPrivileged: Bool) {
    guard !isPrivileged, let path = environment[KeyLogFile.variable], !path.isEmpty else { return nil }
    descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o600)
    guard descriptor >= 0 else {
      let reason = String(cString: strerror(errno))
      FileHandle.standardError.write(Data("URLLoadingSystem: \(KeyLogFile.variable): \(path) can't be opened: \(reason)\n".utf8))
      return nil
    }
  }
}
