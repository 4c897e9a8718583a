import LoadingModel

/// What the handshakes of one attempt to connect offer, one after the other, as a server answers that doesn't decrypt the ClientHello
/// (RFC 9849, 6.1.6).
///
///     first -> again (by the server's keys) -> over
///        \---> again (without encryption)
package struct EncryptedHelloPlan: Sendable, Hashable {
  /// Whether a session's ClientHellos are encrypted.
  package enum Mode: String, Sendable, Hashable, CaseIterable {
    /// Where keys are known. GREASE elsewhere.
    case automatic
    /// Where keys are known; no connection is made without.
    case required
    /// Never, and nothing looks as if they were.
    case off
  }

  /// What a handshake offers.
  package enum Offer: Sendable, Hashable {
    case nothing
    case grease
    case keys(EncryptedHelloKeys)
  }

  /// What is done after a server hasn't decrypted the ClientHello, and has proved the public name.
  package enum Verdict: Sendable, Hashable {
    /// Another connection is made, by the keys that the server has sent.
    case retryByKeys
    /// Another is made without encryption: the server has none.
    case retryInTheClear
    /// It isn't tried again.
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

  /// The keys for the server of the first handshake; nil if none are known.
  package mutating func found(_ keys: EncryptedHelloKeys?) {
    guard case .first = state, mode != .off else { return }
    offer = keys.map(Offer.keys) ?? .grease
  }

  /// Whether the handshake may begin.
  package var isAllowed: Bool {
    guard mode == .required else { return true }
    return if case .keys = offer { true } else { false }
  }

  /// Whether another connection has been decided on.
  package var isAgain: Bool { if case .again = state { true } else { false } }

  /// - Parameter list: What the server has sent in its place; empty if nothing.
  package mutating func rejected(_ list: [UInt8]) -> Verdict {
    // "Clients SHOULD implement a limit on retries": one.
    guard case .first = state else {
      state = .over
      return .fail
    }
    let verdict: Verdict
    if let keys = EncryptedHelloKeys(list) {
      offer = .keys(keys)
      verdict = .retryByKeys
    } else {
      // "If none of the values provided in retry_configs contains a supported version", and if there are none, ECH is "securely disabled by the
      // server".
      offer = .nothing
      verdict = mode == .required ? .fail : .retryInTheClear
    }
    state = verdict == .fail ? .over : .again(verdict)
    return verdict
  }

  /// What a handshake that has ended well has come to.
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
