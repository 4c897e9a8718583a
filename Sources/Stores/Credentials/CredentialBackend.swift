/// A place where credentials are stored: the Secret Service, a file, memory. Every function blocks; never call one on an event loop.
package protocol CredentialBackend: Sendable {
  func read() throws -> CredentialList
  /// Changes the stored credentials; changes that other processes make at the same time aren't lost. Durable on return.
  /// - Returns: The credentials that are stored now.
  func update(_ change: (inout CredentialList) -> Void) throws -> CredentialList
  /// Whether stored credentials outlive the process.
  var isDurable: Bool { get }
}

extension CredentialBackend {
  package var isDurable: Bool { true }
}
