/// An authentication that belongs to connections (NTLM, Negotiate), and so which of them a load may use: compared by identity.
///
/// While the authentication is under way it belongs to one load; once it has succeeded it belongs to the credential, and every load that
/// uses the credential has it.
package final class BoundAuthentication: Sendable {
  package enum Holder: Sendable {
    /// One load in the middle of the handshake: its next message must go over the connection that carried the previous one.
    case handshake
    /// All loads that use the credential, after the authentication has succeeded.
    case credential
  }

  package let holder: Holder

  package init(_ holder: Holder) { self.holder = holder }
}
