import BackgroundTransfers
import LoadingModel

/// The background sessions that this process has: at most one of each identifier, as Apple documents.
enum BackgroundIdentifiers {
  /// What becomes of the wish to have an identifier.
  enum Claim {
    case taken
    /// Another session has it.
    case busy
    /// Another session is about to give it up: it is to be claimed again then.
    case ending
  }

  private struct Entry {
    weak var session: BackgroundSession?
    /// The session, if it has still something to tell the daemon though its app has let it go.
    var kept: BackgroundSession?
    var waiting: [@Sendable () -> Void] = []
  }

  private static let entries = Mutex<[SessionKey: Entry]>([:])

  /// - Parameter retry: Called, on any thread, when an identifier that was `.ending` is free.
  static func claim(_ key: SessionKey, for session: BackgroundSession, then retry: @escaping @Sendable () -> Void) -> Claim {
    entries.withLock { entries in
      guard var entry = entries[key], entry.session != nil else {
        entries[key] = Entry(session: session)
        return .taken
      }
      guard entry.kept != nil else { return .busy }
      entry.waiting.append(retry)
      entries[key] = entry
      return .ending
    }
  }

  /// Keeps a session that its app has let go until it releases its identifier.
  static func keep(_ session: BackgroundSession, until key: SessionKey) {
    entries.withLock { entries in
      if entries[key]?.session === session { entries[key]?.kept = session }
    }
  }

  static func release(_ key: SessionKey, of session: BackgroundSession) {
    let entry = entries.withLock { entries -> Entry? in
      guard entries[key]?.session === session else { return nil }
      return entries.removeValue(forKey: key)
    }
    for retry in entry?.waiting ?? [] { retry() }
  }

  /// The app has done what it was started for.
  static func launchHandled(_ identifier: String) {
    let sessions = entries.withLock { entries in entries.filter { $0.key.identifier == identifier }.compactMap(\.value.session) }
    for session in sessions { session.send(.launchHandled, isByApp: true) }
  }
}
