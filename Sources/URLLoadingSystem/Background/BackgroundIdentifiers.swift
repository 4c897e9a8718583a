import BackgroundTransfers
import LoadingModel

/// The background sessions that this process has: at most one of each identifier, as Apple documents.
enum BackgroundIdentifiers {
  private static let taken = Mutex<[SessionKey: Entry]>([:])

  private struct Entry {
    weak var session: BackgroundSession?
  }

  /// False if another session has the identifier.
  static func take(_ key: SessionKey, for session: BackgroundSession) -> Bool {
    taken.withLock { taken in
      guard taken[key]?.session == nil else { return false }
      taken[key] = Entry(session: session)
      return true
    }
  }

  static func release(_ key: SessionKey, of session: BackgroundSession) {
    taken.withLock { taken in
      if taken[key]?.session === session { taken[key] = nil }
    }
  }

  /// The app has done what it was started for.
  static func launchHandled(_ identifier: String) {
    let sessions = taken.withLock { taken in taken.filter { $0.key.identifier == identifier }.compactMap(\.value.session) }
    for session in sessions { session.send(.launchHandled, isByApp: true) }
  }
}
