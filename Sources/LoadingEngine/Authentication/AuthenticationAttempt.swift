import HTTPTransport
import LoadingModel
import ProtocolRules

/// One way in which a request was, or is about to be, authorized.
struct AuthenticationAttempt {
  /// Where the credential came from.
  enum Source {
    /// The session had used it before in this space.
    case memory
    case url
    case storage
    case app
    /// No credential: what the system has, such as a Kerberos ticket.
    case system
  }

  enum Proof {
    case basic
    case digest(DigestSession)
    /// Nothing is sent: a connection that was authenticated before.
    case connection(BoundAuthentication)
    /// A mechanism of several messages; whether the server is expected to send another challenge.
    case mechanism(any AuthenticationMechanism, isUnfinished: Bool)
    /// A mechanism that opens a tunnel. The first one has begun; another tunnel needs another.
    case tunnel(TunnelMechanism?)
  }

  let space: ProtectionSpace
  let credential: Credential?
  let source: Source
  var proof: Proof
  /// The value of the field; nil where there is nothing to send.
  var authorization: String?
}
