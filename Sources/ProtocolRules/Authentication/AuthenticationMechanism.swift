import LoadingModel

/// An authentication scheme that takes several messages, such as NTLM and Negotiate. One value is one authentication to one server.
///
/// The authentication stage creates it when the server offers the scheme, and asks it for each message. All messages after the first go over the
/// connection of the one before; when the authentication has succeeded, the connection stays bound to this credential.
package protocol AuthenticationMechanism: Sendable {
  /// Whether the authentication holds for the connection rather than for one request: the next message must use the same connection, and later
  /// requests over it need no authorization.
  var isConnectionBound: Bool { get }

  /// The message that answers the server's challenge.
  ///
  /// - Parameters:
  ///   - challenge: The server's challenge for this scheme. One without a token begins the authentication, or says that it failed.
  ///   - request: The request that is to be authorized.
  /// - Returns: The field value to send, or `.failed`. A mechanism that has to wait for a library or a file does so off the caller's thread.
  nonisolated(nonsending) mutating func respond(
    to challenge: AuthenticateField, _ request: AuthorizedRequest
  ) async -> MechanismStep

  /// Checks the token that came with the final, successful response, if any: with Negotiate the server proves itself, too (RFC 4559, 5).
  /// - Returns: False if the server failed to prove itself.
  nonisolated(nonsending) mutating func accept(_ challenge: AuthenticateField) async -> Bool
}

extension AuthenticationMechanism {
  package nonisolated(nonsending) mutating func accept(_ challenge: AuthenticateField) async -> Bool { true }
}

/// A mechanism's answer to a challenge: a field value to send, or failure.
package enum MechanismStep: Sendable, Equatable {
  /// Send this value of `Authorization`, scheme included; the server is expected to answer with another challenge.
  case needsMore(String)
  /// Send this value of `Authorization`, scheme included; the server is expected to accept the request.
  case authorize(String)
  /// The authentication can't continue: the credential is of no use here, or the server has sent a message out of turn.
  case failed
}

/// The parts of a request that its authorization may depend on.
package struct AuthorizedRequest: Sendable {
  package var method: String
  package var origin: Origin
  /// The request target as sent: path and query.
  package var uri: String

  package init(method: String, origin: Origin, uri: String) {
    self.method = method
    self.origin = origin
    self.uri = uri
  }
}
