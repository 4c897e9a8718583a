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

  /// Adds an attempt that has begun, so that the pool can end it early.
  func add(_ attempt: ConnectAttempt) { attempts[attempt.id] = attempt }

  func contains(_ attempt: ConnectAttempt) -> Bool { attempts[attempt.id] != nil }

  /// Removes an attempt that has ended; returns false if it was removed before, because it was ended early.
  @discardableResult
  func remove(_ attempt: ConnectAttempt) -> Bool { attempts.removeValue(forKey: attempt.id) != nil }

  /// Ends and removes all attempts to a destination; their errors aren't reported.
  func abandon(_ destination: Destination) {
    for attempt in attempts.values where attempt.destination == destination {
      remove(attempt)
      attempt.end()
    }
  }
}
