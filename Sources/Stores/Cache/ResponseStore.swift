import Foundation
import LoadingModel

/// A URL session's cache, as the loading stage uses it: stored responses, found by URL.
///
/// Except for sizes, nothing here decides whether a response may be used or stored; ProtocolRules/Caching does. Every member may be called from any
/// thread. Members that aren't async never wait for a disk; the async ones wait on threads of the store, and may be called on an event loop.
package protocol ResponseStore: AnyObject, Sendable {
  /// Bytes that the store can hold: the larger of its memory and disk capacities. 0 if it stores nothing.
  var capacity: Int64 { get }

  /// Whether there is certainly no response for this URL. Cheap, a hash and a short lock, because most loads get no further.
  func holdsNothing(for target: Target) -> Bool

  /// Whether `removeAll(url:)` for this URL could remove a stored response, or one that is being received.
  func mayHaveToRemove(_ target: Target) -> Bool

  /// The responses stored for `url` (`CacheKey.url`), newest first, if memory knows; nil if the disk must be asked.
  func candidates(for url: String) -> [StoredResponse]?

  /// The responses stored for `url`, newest first, from memory or disk.
  nonisolated(nonsending) func loadCandidates(for url: String) async -> [StoredResponse]

  /// The body, if it is in memory; nil doesn't say that there is none on disk. Counts as a use of the response.
  func immediateBody(_ response: StoredResponse) -> Data?

  /// Opens the body, in memory or on disk; nil if it was evicted, or removed by another process, which counts as a miss. Counts as a use.
  nonisolated(nonsending) func openBody(_ response: StoredResponse) async -> (any StoredBody)?

  /// Begins to store a response that is being received.
  ///
  /// The response can be found only after `commit`, and replaces one for the same URL whose `requestFields` are equal. If the URL's responses are
  /// removed before `commit`, it isn't stored.
  ///
  /// - Returns: A writer for the body; nil if storage policy or size don't allow storing.
  func beginStoring(_ response: StoredResponse, expectedLength: Int64?) -> (any BodyWriter)?

  /// Gives a stored response a new head, after a 304 or a HEAD that confirmed it. Its body and `id` stay.
  func update(_ response: StoredResponse, head: ResponseHead, requestTime: Date, responseTime: Date)

  func remove(_ response: StoredResponse)

  /// Whether the async functions wait for a disk and may be called from anywhere; false if they ask the app, in the load's own context.
  var waitsForDisk: Bool { get }

  /// Removes every response stored for `url`: after a request with an unsafe method (RFC 9111, 4.4), or because the app wants it.
  func removeAll(url: String)
}

/// A stored body, read piece by piece. Stays whole while it is open, even if the response is removed meanwhile.
package protocol StoredBody: AnyObject, Sendable {
  var length: Int64 { get }

  /// The whole body, if it is in memory.
  var immediate: Data? { get }

  /// Reads up to `count` bytes from `offset` on: fewer only at the end, none behind it.
  /// - Throws: `StoreFailure` if the file can't be read, or is damaged.
  nonisolated(nonsending) func read(from offset: Int64, upTo count: Int) async throws -> Data

  func close()
}

/// Writes the body of one response into the store, piece by piece. Used by one load at a time.
package protocol BodyWriter: AnyObject, Sendable {
  /// Longest body in bytes; a longer one is refused.
  var largestBody: Int64 { get }

  /// Sets the storage policy (`StoredResponse.storagePolicy`) if the app has chosen another one than the response had; before the first `append`.
  func use(policy: Int)

  /// Appends a piece, and returns when the next one may follow; false if the body has become too long or can't be written: the writer is abandoned
  /// then.
  nonisolated(nonsending) func append(_ bytes: Data) async -> Bool

  /// The body is complete: look-ups of this process find the response from now on; it is on disk a little later (`flush`).
  nonisolated(nonsending) func commit(_ final: StoredResponse) async

  /// Whether `append` has to wait for a disk to take `count` more bytes.
  func waits(toAppend count: Int) -> Bool

  /// Whether `commit` has to wait for a disk.
  var waitsToCommit: Bool { get }

  /// Drops what was written. Has no effect after `commit` or `abandon`.
  func abandon()
}

extension ResponseStore {
  package var waitsForDisk: Bool { false }
  package func mayHaveToRemove(_ target: Target) -> Bool { !holdsNothing(for: target) }
}

extension BodyWriter {
  package var largestBody: Int64 { .max }
  package func use(policy: Int) {}
  package func waits(toAppend count: Int) -> Bool { false }
  package var waitsToCommit: Bool { false }
}
