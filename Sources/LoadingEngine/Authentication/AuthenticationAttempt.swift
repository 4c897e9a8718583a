import HTTPTransport
import LoadingModel
import ProtocolRules

/// One attempt to authorize a request: the credential, and the authorization made from it.
struct AuthenticationAttempt {
  /// The source of the credential.
  enum Source {
    /// The session's memory: it has used the credential before in this protection space.
    case memory
    case url
    case storage
    case app
    /// No credential: the system's own login, such as a Kerberos ticket.
    case system
  }

  enum Proof {
    case basic
    case digest(DigestSession)
    /// No field is sent: the request uses a connection that has been authenticated before.
    case connection(BoundAuthentication)
    /// A mechanism of several messages; `isUnfinished`: the server is expected to send another challenge.
    case mechanism(any AuthenticationMechanism, isUnfinished: Bool)
    /// A mechanism that authenticates to a proxy while it opens a tunnel. The value has begun already, and is for the first tunnel; each further
    /// tunnel gets its own. nil if none has begun.
    case tunnel(TunnelMechanism?)
  }

  let space: ProtectionSpace
  let credential: Credential?
  let source: Source
  var proof: Proof
  /// The value of the authorization field; nil if none is sent.
  var authorization: String?
}
