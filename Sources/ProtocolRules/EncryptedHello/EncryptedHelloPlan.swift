import LoadingModel

/// Which ECH offer each handshake of one connection attempt makes, and whether another connection follows after the server hasn't decrypted the
/// ClientHello (RFC 9849, 6.1.6).
///
///     first -> again (by the server's keys) -> over
///        \---> again (without encryption)
package struct EncryptedHelloPlan: Sendable, Hashable {
  /// Whether a session encrypts its ClientHellos.
  package enum Mode: String, Sendable, Hashable, CaseIterable {
    /// Encrypts where keys are known, and sends GREASE elsewhere.
    case automatic
    /// Encrypts where keys are known, and makes no connection elsewhere.
    case required
    /// Never encrypts, and sends no GREASE.
    case off
  }

  /// The ECH extension that a handshake sends.
  package enum Offer: Sendable, Hashable {
    case nothing
    case grease
    case keys(EncryptedHelloKeys)
  }

  /// What follows when a server hasn't decrypted the ClientHello, but has proved that it is the server of the public name.
  package enum Verdict: Sendable, Hashable {
    /// Another connection is made, encrypted by the keys that the server has sent.
    case retryByKeys
    /// Another connection is made without encryption: the server has no usable keys.
    case retryInTheClear
    /// The attempt fails; no further connection is made.
    case fail
  }

  private enum State: Hashable {
    case first
    case again(Verdict)
    case over
  }

  private let mode: Mode
  private var state = State.first
  package private(set) var offer: Offer

  package init(_ mode: Mode) {
    self.mode = mode
    offer = mode == .off ? .nothing : .grease
  }

  /// Sets the offer of the first handshake to the keys that a look-up has found for the server; nil if it has found none.
  package mutating func found(_ keys: EncryptedHelloKeys?) {
    guard case .first = state, mode != .off else { return }
    offer = keys.map(Offer.keys) ?? .grease
  }

  /// Whether the handshake may begin: not if encryption is required and no keys are known.
  package var isAllowed: Bool {
    guard mode == .required else { return true }
    return if case .keys = offer { true } else { false }
  }

  /// Whether another connection is to be made, after a server hasn't decrypted the ClientHello.
  package var isAgain: Bool { if case .again = state { true } else { false } }

  /// - Parameter list: The configurations to retry with (ECHConfigList), which the server has sent because it couldn't decrypt the ClientHello;
  ///   empty if it has sent none.
  package mutating func rejected(_ list: [UInt8]) -> Verdict {
    // RFC 9849, 6.1.6: "Clients SHOULD implement a limit on retries". This limit is one.
    guard case .first = state else {
      state = .over
      return .fail
    }
    let verdict: Verdict
    if let keys = EncryptedHelloKeys(list) {
      offer = .keys(keys)
      verdict = .retryByKeys
    } else {
      // RFC 9849, 6.1.6: "If none of the values provided in retry_configs contains a supported version", and if there are none, ECH is "securely
      // disabled by the server".
      offer = .nothing
      verdict = mode == .required ? .fail : .retryInTheClear
    }
    state = verdict == .fail ? .over : .again(verdict)
    return verdict
  }

  /// How a successful handshake used ECH, for the record of the transaction.
  ///
  /// - Parameter wasAccepted: Whether the server has decrypted the ClientHello.
  package func use(_ wasAccepted: Bool) -> EncryptedHelloUse {
    switch (state, offer) {
    case (.first, _) where wasAccepted: .accepted
    case (_, _) where wasAccepted: .acceptedOnRetry
    case (.again(.retryInTheClear), _): .refused
    case (_, .nothing): .unused
    case (_, .grease), (_, .keys): .greased
    }
  }
}
