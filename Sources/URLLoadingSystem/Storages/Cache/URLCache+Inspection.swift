import Foundation
import LoadingEngine
import LoadingModel
import ProtocolRules
import Stores

/// Lists what a cache holds, for tools and for debugging. Additions: Apple's cache has no such members.
///
/// They read the cache's own storage; that of a subclass which stores elsewhere is empty.
extension URLCache {
  /// One stored response, without its body; `cachedResponse(for:)` gives the body.
  public struct StoredEntry: Sendable {
    /// The URL it was loaded from, without user and fragment.
    public let url: URL
    /// The status, such as 200.
    public let statusCode: Int
    /// The MIME type that the response names, if any.
    public let mimeType: String?
    /// Bytes of the body as stored: still compressed, if the server compressed it and a session stored it.
    public let bodySize: Int64
    /// When it was received, or last confirmed by its server.
    public let storedAt: Date
    /// Until when it may be used without asking its server; in the past if it needs to ask. nil: always to be asked.
    public let expires: Date?
    /// When it was last used. Uses are written to disk in batches, so the latest may be missing after a crash.
    public let lastUsed: Date
    /// Whether it may be stored in memory and on disk, or in memory alone.
    public let storagePolicy: StoragePolicy
    /// The values of the request fields that it was stored for, by name: those that its `Vary` names.
    public let requestFields: [String: String]
  }

  /// The stored responses, the one last used first. Waits for the disk.
  ///
  /// - Parameter limit: How many to return at most.
  public final func entries(limit: Int = .max) -> [StoredEntry] {
    store.listNow(limit: max(0, limit)).compactMap { StoredEntry($0) }
  }

  /// The responses stored for `url`, newest first: several if they depend on fields of the request. Waits for the disk.
  public final func entries(for url: URL) -> [StoredEntry] {
    guard let key = CacheAddress(URLRequest(url: url)) else { return [] }
    return store.candidatesNow(for: key.url).compactMap { StoredEntry($0) }
  }

  /// Drops all responses stored for `url`.
  public final func removeEntries(for url: URL) {
    guard let key = CacheAddress(URLRequest(url: url)) else { return }
    store.removeAll(url: key.url)
  }

  /// Returns when the disk has all that was stored and removed so far. Call it before a short-lived process ends.
  public final func flush() async { await store.flush() }

  /// Why the disk can't be used, or didn't take what was last written, although the cache has a disk capacity; nil if all is well, or the
  /// cache hasn't tried yet. Loads continue, and what memory has room for is kept there.
  public final var diskFailure: (any Error)? { store.failure }
}

extension URLCache.StoredEntry {
  fileprivate init?(_ stored: StoredResponse) {
    guard let url = URL(string: stored.url) else { return nil }
    self.url = url
    statusCode = stored.head.status
    mimeType = URLResponse.make(LoadResponse(url: url, kind: .http(stored.head), expectedLength: -1)).mimeType
    bodySize = stored.bodyLength
    storedAt = stored.responseTime
    lastUsed = stored.lastUse
    storagePolicy = URLCache.StoragePolicy(rawValue: UInt(clamping: stored.storagePolicy)) ?? .allowed
    requestFields = Dictionary(stored.requestFields.entries.map { ($0.name, $0.value) }) { $0 + ", " + $1 }
    let facts = stored.facts
    if facts.reading.control.noCache {
      expires = nil
    } else {
      let freshness = FreshnessRules.freshness(facts, now: stored.responseTime)
      expires = stored.responseTime.addingTimeInterval(freshness.lifetime - freshness.age)
    }
  }
}
