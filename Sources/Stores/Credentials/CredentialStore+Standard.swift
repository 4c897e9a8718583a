import Foundation
import LoadingModel

extension CredentialStore {
  /// The app's store: in the Secret Service if one runs and is unlocked, else in an encrypted file, else in memory.
  package static let standard = CredentialStore(.standard, environment: ProcessEnvironment.variables)

  /// - Parameter environment: If `URL_LOADING_SYSTEM_HOME` is set, credentials are kept in its folder, and not in the user's Secret Service.
  package convenience init(_ location: StoreLocation, environment: [String: String]) {
    self.init(
      backends: {
        let isApart = environment["URL_LOADING_SYSTEM_HOME"]?.hasPrefix("/") == true
        let service = isApart ? nil : SecretServiceBackend(application: location.app, environment: environment)
        return (service.map { [$0] } ?? []) + [CredentialFile(location), CredentialMemory()]
      },
      counter: {
        // If the folder can't be made, the counter works for this process alone.
        try? FileManager.default.createDirectory(
          at: location.data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return ChangeCounter(url: location.data.appending(path: "credentials.changes", directoryHint: .notDirectory))
      })
  }
}
