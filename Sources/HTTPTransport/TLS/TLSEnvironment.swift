import Foundation
import LoadingModel

/// What an app's environment says about TLS. The daemon of background sessions is told it with each session: it isn't the daemon's own that
/// counts there.
package struct TLSEnvironment: Sendable, Hashable, Codable {
  package var trust: TrustStoreSource
  /// The file that secrets are logged to (`SSLKEYLOGFILE`); nil for none.
  package var keyLog: String?

  /// The system's authorities, and no log.
  package static let plain = TLSEnvironment(trust: .system)

  package init(trust: TrustStoreSource, keyLog: String? = nil) {
    self.trust = trust
    self.keyLog = keyLog
  }

  package init(environment: [String: String]) {
    trust = TrustStoreSource(environment: environment)
    keyLog = environment[KeyLogFile.variable].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// This process's, as its environment is now.
  package static var ofProcess: TLSEnvironment { TLSEnvironment(environment: ProcessEnvironment.variables) }

  /// The same for a process that works in another folder.
  package var absolute: TLSEnvironment {
    func absolute(_ path: String) -> String { URL(filePath: path).absoluteURL.path(percentEncoded: false) }
    return TLSEnvironment(
      trust: TrustStoreSource(file: trust.file.map(absolute), folders: trust.folders.map(absolute)), keyLog: keyLog.map(absolute))
  }
}
