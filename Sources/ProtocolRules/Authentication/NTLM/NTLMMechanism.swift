import Foundation
import LoadingModel

/// NTLM over HTTP (MS-NTHT): three messages over one connection, NTLMv2 responses only, no signing or sealing.
///
///     fresh --challenge without token--> negotiated --CHALLENGE--> authenticated --any challenge--> failed
///
/// Random bytes and time are passed in. The value holds the password: it exists as long as the authentication, and is never stored.
package struct NTLMMechanism: AuthenticationMechanism {
  private enum State {
    case fresh, negotiated, over
  }

  private let identity: NTLMIdentity
  private let password: String
  private let clientChallenge: [UInt8]
  private let time: UInt64
  private var state = State.fresh

  /// - Parameters:
  ///   - user: `DOMAIN\user`, `user@domain` or `user`.
  ///   - clientChallenge: 8 random bytes, for this authentication alone.
  ///   - now: The client's time; used if the server doesn't send its own.
  package init(user: String, password: String, clientChallenge: [UInt8], now: Date) {
    identity = NTLMIdentity(user)
    self.password = password
    self.clientChallenge = clientChallenge
    time = NTLMMechanism.fileTime(now)
  }

  package var isConnectionBound: Bool { true }

  package nonisolated(nonsending) mutating func respond(
    to challenge: AuthenticateField, _ request: AuthorizedRequest
  ) async -> MechanismStep {
    let before = state
    state = .over
    switch (before, challenge.token68) {
    case (.fresh, nil):
      state = .negotiated
      return .needsMore(NTLMMechanism.value(NTLMMessages.negotiate))
    case (.negotiated, let token?):
      guard let bytes = Data(base64Encoded: token), let message = NTLMChallenge(Array(bytes)) else { return .failed }
      // A server that knows no Unicode predates NTLMv2.
      guard message.flags.contains(.unicode) else { return .failed }
      return .authorize(
        NTLMMechanism.value(
          NTLMMessages.authenticate(message, identity: identity, password: password, clientChallenge: clientChallenge, time: time)))
    case (.fresh, _?), (.negotiated, nil), (.over, _):
      // A challenge without a token after the client's messages says that the credential is refused; a token before them is out of sequence.
      return .failed
    }
  }

  private static func value(_ message: [UInt8]) -> String { "NTLM " + Data(message).base64EncodedString() }

  /// FILETIME: units of 100 ns since 1601 (MS-DTYP, 2.3.3).
  private static func fileTime(_ date: Date) -> UInt64 {
    let seconds = date.timeIntervalSince1970 + 11_644_473_600
    return UInt64(exactly: (seconds * 10_000_000).rounded(.down)) ?? 0
  }
}

extension NTLMMechanism: CustomStringConvertible, CustomReflectable {
  package var description: String { "NTLM" }
  /// An empty mirror, so that `dump` and other reflection don't show the password.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
