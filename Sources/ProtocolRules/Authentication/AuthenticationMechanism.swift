import LoadingModel

/// A scheme that takes several messages and belongs to a connection, such as NTLM and Negotiate: one authentication to one server.
///
/// The stage makes one when the server offers the scheme, and asks it for each message. All messages after the first go over the connection
/// of the one before; when the authentication has succeeded, the connection stays bound to this credential.
package protocol AuthenticationMechanism: Sendable {
  /// Whether what it proves holds for the connection rather than for one request: the next message must use the same connection, and later
  /// requests over it need no authorization.
  var isConnectionBound: Bool { get }

  /// The next step.
  ///
  /// - Parameters:
  ///   - challenge: The server's challenge for this scheme. Without a token: it begins the authentication, or says that it failed.
  ///   - request: What is to be authorized.
  /// - Returns: What to send, or that there is nothing to send. A mechanism that has to wait for a library or a file does so off the
  ///   caller's thread.
  nonisolated(nonsending) mutating func respond(
    to challenge: AuthenticateField, _ request: AuthorizedRequest
  ) async -> MechanismStep

  /// The token that came with the final, successful response, if any: Negotiate lets the server prove itself (RFC 4559, 5).
  /// - Returns: False if the server failed to do so.
  nonisolated(nonsending) mutating func accept(_ challenge: AuthenticateField) async -> Bool
}

extension AuthenticationMechanism {
  package nonisolated(nonsending) mutating func accept(_ challenge: AuthenticateField) async -> Bool { true }
}

/// What a mechanism does next.
package enum MechanismStep: Sendable, Equatable {
  /// Send this value of `Authorization`, scheme included; the server is expected to answer with another challenge.
  case needsMore(String)
  /// Send this value; the server is expected to let the request through.
  case authorize(String)
  /// The authentication can't continue: the credential is of no use here, or the server has sent a message out of turn.
  case failed
}

/// What of a request an authorization may depend on.
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
