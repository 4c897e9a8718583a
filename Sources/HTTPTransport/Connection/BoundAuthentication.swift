/// An authentication that belongs to connections (NTLM, Negotiate), and so which of them a load may use: compared by identity.
///
/// While the authentication is under way it belongs to one load; once it has succeeded it belongs to the credential, and every load that
/// uses the credential has it.
package final class BoundAuthentication: Sendable {
  package enum Holder: Sendable {
    /// A load that is about to authenticate: its next message needs this very connection.
    case handshake
    /// All loads that use one credential.
    case credential
  }

  package let holder: Holder

  package init(_ holder: Holder) { self.holder = holder }
}
