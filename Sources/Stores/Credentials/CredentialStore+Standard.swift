import Foundation
import LoadingModel

extension CredentialStore {
  /// The app's: in the Secret Service where one runs and is open, else in an encrypted file, else in memory.
  package static let standard = CredentialStore(.standard, environment: ProcessEnvironment.variables)

  /// - Parameter environment: `URL_LOADING_SYSTEM_HOME` keeps everything in its folder, and so out of the user's Secret Service.
  package convenience init(_ location: StoreLocation, environment: [String: String]) {
    self.init(
      backends: {
        let isApart = environment["URL_LOADING_SYSTEM_HOME"]?.hasPrefix("/") == true
        let service = isApart ? nil : SecretServiceBackend(application: location.app, environment: environment)
        return (service.map { [$0] } ?? []) + [CredentialFile(location), CredentialMemory()]
      },
      counter: {
        // Without the folder the counter counts for this process alone.
        try? FileManager.default.createDirectory(
          at: location.data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return ChangeCounter(url: location.data.appending(path: "credentials.changes", directoryHint: .notDirectory))
      })
  }
}
