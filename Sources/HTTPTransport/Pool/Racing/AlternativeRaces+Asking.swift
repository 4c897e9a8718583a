import LoadingModel
import ProtocolRules

// Which app is asked about the server of an attempt over QUIC: one whose load waits, or one whose load has a connection over TCP.

extension AlternativeRaces {
  /// The load whose app an attempt over QUIC asks: a waiting load whose attempt over TCP hasn't asked it (and then won't), or else the companion,
  /// which has a connection over TCP. nil if there is none.
  ///
  /// - Parameter decider: The number of the delegate that has been asked before; nil for any.
  func asked(by attempt: ConnectAttempt, _ decider: Int? = nil) -> PeerChallengeHandler.Load? {
    if let load = owner.waiting.challenger(for: attempt, decider, in: owner.line(of: attempt.destination)) { return load }
    guard let companion = races[attempt.destination]?.companion?.asked, (decider ?? companion.decider) == companion.decider else {
      return nil
    }
    attempt.asker = nil
    return companion
  }

  /// The loads that wait for the app's answer about the server over QUIC: the load whose app was asked, and those with the same delegate.
  func sharing(_ destination: Destination) -> Set<Int> {
    guard let attempt = races[destination]?.attempt, let asker = owner.waiting.asker(of: attempt) else { return [] }
    return owner.waiting.sharing(asker.id, in: owner.line(of: destination))
  }

  /// The waiting load whose app has cancelled it when it was asked about the origin's own server: TCP would lead to the same server. nil if there is
  /// none, or if the app was asked about an alternative, which says nothing about the origin (RFC 7838, 2.1).
  func refuser(of attempt: ConnectAttempt) -> WaitingLoad? {
    guard !attempt.isElsewhere, attempt.questions?.wasCancelled == true else { return nil }
    return owner.waiting.asker(of: attempt)
  }

  /// A handshake over QUIC has a question, and there is no load whose app could be asked: it waits `askerPatience` seconds for one, then ends.
  func lacksAsker(_ attempt: ConnectAttempt) {
    guard let race = races[attempt.destination], race.attempt === attempt else { return attempt.end() }
    plan(at: clock.now.advanced(bySeconds: AlternativeRules.askerPatience), of: race) { _, race in
      guard race.attempt.questions?.isLacking == true else { return }
      race.attempt.foundNoAsker = true
      race.attempt.end()
    }
  }
}
