import LoadingModel
import ProtocolRules

/// An attempt over QUIC to a destination, and the attempts over TCP that depend on it.
///
/// Attempts over TCP are held until the head start is over, or this one has failed; their failures are kept for a moment. Owned by the
/// pool, in whose table it is as long as its attempt is under way; confined to the pool's event loop.
final class AlternativeRace: @unchecked Sendable {
  // @unchecked: confined to the pool's event loop.
  let attempt: ConnectAttempt
  let endpoint: AlternativeEndpoint
  let place: AlternativeHistory.Place
  /// The last load that has got a connection over TCP while the attempt was under way, if its app is asked about servers.
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

  /// The app of a load that goes over TCP may be asked about the server, at once if the handshake waits for that.
  func join(_ companion: Companion) {
    self.companion = companion
    attempt.questions?.offer()
  }

  /// Takes an attempt over TCP that has to wait; false if it may begin.
  func holds(_ attempt: ConnectAttempt, _ now: Instant) -> Bool {
    guard startOfTCP > now else { return false }
    held.append(attempt)
    return true
  }

  func keep(_ attempt: ConnectAttempt, _ error: LoadError) { failures.append((attempt, error)) }

  /// Something that is planned while the attempt is under way.
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
