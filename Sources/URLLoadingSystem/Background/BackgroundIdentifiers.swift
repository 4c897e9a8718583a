import BackgroundTransfers
import LoadingModel

/// The background sessions of this process: at most one for each identifier, as Apple documents.
enum BackgroundIdentifiers {
  /// The result of claiming an identifier for a new session.
  enum Claim {
    case taken
    /// Another session of this process has the identifier.
    case busy
    /// Another session is about to release the identifier: it can be claimed again then.
    case ending
  }

  private struct Entry {
    weak var session: BackgroundSession?
    /// Keeps alive a session that its app has released, while it still has something to tell the daemon; nil otherwise.
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

  /// Keeps a session that its app has released alive until it releases its identifier.
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

  /// Tells the daemon that the app has handled the launch for this session: it has called the handler's completion handler.
  static func launchHandled(_ identifier: String) {
    let sessions = entries.withLock { entries in entries.filter { $0.key.identifier == identifier }.compactMap(\.value.session) }
    for session in sessions { session.send(.launchHandled, isByApp: true) }
  }
}
