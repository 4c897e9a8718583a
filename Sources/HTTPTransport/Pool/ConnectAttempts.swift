/// The attempts to open connections that are under way, and whose outcome a load may want. Owned by the pool; confined to its event loop.
final class ConnectAttempts {
  private var attempts: [Int: ConnectAttempt] = [:]
  private var lastID = 0

  var all: Dictionary<Int, ConnectAttempt>.Values { attempts.values }

  /// A number that no attempt, nor the connection that it brings, has had.
  func makeID() -> Int {
    lastID += 1
    return lastID
  }

  /// The attempt has begun: it can be ended from outside.
  func add(_ attempt: ConnectAttempt) { attempts[attempt.id] = attempt }

  func contains(_ attempt: ConnectAttempt) -> Bool { attempts[attempt.id] != nil }

  /// The attempt is done with; false if it was ended from outside before.
  @discardableResult
  func remove(_ attempt: ConnectAttempt) -> Bool { attempts.removeValue(forKey: attempt.id) != nil }

  /// Ends all attempts to a destination, of which nothing is to be reported.
  func abandon(_ destination: Destination) {
    for attempt in attempts.values where attempt.destination == destination {
      remove(attempt)
      attempt.end()
    }
  }
}
