/// A place that keeps credentials. Every function blocks: never call one on an event loop.
package protocol CredentialBackend: Sendable {
  func read() throws -> CredentialList
  /// Changes what is kept, whatever other processes change at the time; durable on return.
  /// - Returns: What is kept now.
  func update(_ change: (inout CredentialList) -> Void) throws -> CredentialList
  /// Whether what it keeps outlives the process.
  var isDurable: Bool { get }
}

extension CredentialBackend {
  package var isDurable: Bool { true }
}
