import LoadingModel
import ProtocolRules

/// An attempt over QUIC to a destination, and the attempts over TCP that depend on it.
///
/// Attempts over TCP are held until QUIC's head start is over or its attempt has failed; failures of attempts over TCP aren't reported at once, as
/// QUIC may still succeed. Owned by the pool, as long as the attempt is under way; confined to the pool's event loop.
final class AlternativeRace: @unchecked Sendable {
  // @unchecked: confined to the pool's event loop.
  let attempt: ConnectAttempt
  let endpoint: AlternativeEndpoint
  let place: AlternativeHistory.Place
  /// The last load that got a connection over TCP while the attempt was under way, and whose app may be asked about the server over QUIC.
  private(set) var companion: Companion?
  /// When attempts over TCP may begin.
  let startOfTCP: Instant
  /// Attempts over TCP that haven't begun.
  private var held: [ConnectAttempt] = []
  /// Attempts over TCP that have failed, and whose loads may still be served over QUIC.
  private var failures: [(attempt: ConnectAttempt, error: LoadError)] = []
  private var wakes: [PlannedWake] = []

  init(
    _ attempt: ConnectAttempt, at endpoint: AlternativeEndpoint, _ place: AlternativeHistory.Place, startOfTCP: Instant,
    beside companion: Companion?
  ) {
    self.companion = companion
    self.attempt = attempt
    self.endpoint = endpoint
    self.place = place
    self.startOfTCP = startOfTCP
  }

  /// A load has got a connection over TCP: its app may be asked about the server over QUIC, at once if the handshake waits for an app to ask.
  func join(_ companion: Companion) {
    self.companion = companion
    attempt.questions?.offer()
  }

  /// Holds an attempt over TCP until the head start is over; returns false if it may begin at once.
  func holds(_ attempt: ConnectAttempt, _ now: Instant) -> Bool {
    guard startOfTCP > now else { return false }
    held.append(attempt)
    return true
  }

  func keep(_ attempt: ConnectAttempt, _ error: LoadError) { failures.append((attempt, error)) }

  /// Keeps a planned wake, to be cancelled when the race ends.
  func plans(_ wake: PlannedWake) { wakes.append(wake) }

  func takeHeld() -> [ConnectAttempt] {
    defer { held = [] }
    return held
  }

  func takeFailures() -> [(attempt: ConnectAttempt, error: LoadError)] {
    defer { failures = [] }
    return failures
  }

  func cancelWakes() {
    for wake in wakes { wake.cancel() }
    wakes = []
  }
}
