/// Whose connections a load may use beside the pool's: compared by identity.
///
/// An authentication that belongs to a connection (NTLM, Negotiate) claims it. While the conversation lasts the authentication is one load's; once
/// it has succeeded, it is the credential's, and every load that uses the credential has it.
package final class BoundAuthentication: Sendable {
  package enum Holder: Sendable {
    /// A load that is about to authenticate: its next leg needs this very connection.
    case conversation
    /// All loads that use one credential.
    case credential
  }

  package let holder: Holder

  package init(_ holder: Holder) { self.holder = holder }
}
