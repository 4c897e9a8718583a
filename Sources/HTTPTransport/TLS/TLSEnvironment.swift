import Foundation
import LoadingModel

/// The TLS settings from an app's environment variables. The app sends them to the daemon of background sessions, which must not use its own
/// environment.
package struct TLSEnvironment: Sendable, Hashable, Codable {
  package var trust: TrustStoreSource
  /// The file that secrets are logged to (`SSLKEYLOGFILE`); nil for none.
  package var keyLog: String?

  /// The system's trust anchors, and no key log.
  package static let plain = TLSEnvironment(trust: .system)

  package init(trust: TrustStoreSource, keyLog: String? = nil) {
    self.trust = trust
    self.keyLog = keyLog
  }

  package init(environment: [String: String]) {
    trust = TrustStoreSource(environment: environment)
    keyLog = environment[KeyLogFile.variable].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The settings from this process's environment as it is now.
  package static var ofProcess: TLSEnvironment { TLSEnvironment(environment: ProcessEnvironment.variables) }

  /// These settings with absolute paths, for a process with another working directory.
  package var absolute: TLSEnvironment {
    func absolute(_ path: String) -> String { URL(filePath: path).absoluteURL.path(percentEncoded: false) }
    return TLSEnvironment(
      trust: TrustStoreSource(file: trust.file.map(absolute), folders: trust.folders.map(absolute)), keyLog: keyLog.map(absolute))
  }
}
