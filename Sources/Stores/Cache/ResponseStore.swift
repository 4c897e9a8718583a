import Foundation
import LoadingModel

/// What a URL session's cache is to the stage that uses it: stored responses, found by URL.
///
/// Nothing here decides whether a response may be used or stored (ProtocolRules/Caching does), except for sizes. Every member may be called
/// from any thread. Those that aren't async never wait for a disk; the async ones do their waiting on threads of the store and may be
/// called on an event loop.
package protocol ResponseStore: AnyObject, Sendable {
  /// Bytes the store holds in all: the larger of memory and disk. 0 if it stores nothing.
  var capacity: Int64 { get }

  /// Whether there is surely nothing for this URL. Costs a hash and a short lock: the answer for most loads.
  func holdsNothing(for target: Target) -> Bool

  /// Whether `removeAll(url:)` for this URL may concern anything: stored, or being received.
  func mayHaveToRemove(_ target: Target) -> Bool

  /// The responses stored for `url` (`CacheKey.url`), newest first, if memory knows; nil if the disk must be asked.
  func candidates(for url: String) -> [StoredResponse]?

  /// The responses stored for `url`, newest first, from memory or disk.
  nonisolated(nonsending) func loadCandidates(for url: String) async -> [StoredResponse]

  /// The body, if it is in memory; nil says nothing about the disk. Counts as a use of the response.
  func immediateBody(_ response: StoredResponse) -> Data?

  /// The body; nil if it has vanished meanwhile (evicted, or removed by another process): treat as a miss. Counts as a use.
  nonisolated(nonsending) func openBody(_ response: StoredResponse) async -> (any StoredBody)?

  /// A writer for the body of a response that is being received; nil if it is refused by its policy or its size.
  ///
  /// The response is found only after `commit`, and replaces one for the same URL whose `requestFields` are equal. What is removed before
  /// `commit` covers it: it isn't stored then.
  func beginStoring(_ response: StoredResponse, expectedLength: Int64?) -> (any BodyWriter)?

  /// Gives a stored response a new head, after a 304 or a HEAD that confirmed it. Its body and `id` stay.
  func update(_ response: StoredResponse, head: ResponseHead, requestTime: Date, responseTime: Date)

  func remove(_ response: StoredResponse)

  /// Whether the async functions wait for a disk and may be called from anywhere; false if they ask the app, in the load's own context.
  var waitsForDisk: Bool { get }

  /// Removes every response stored for `url`: invalidation by an unsafe method, or the app's wish.
  func removeAll(url: String)
}

/// A stored body, read piece by piece. Stays whole while it is open, even if the response is removed meanwhile.
package protocol StoredBody: AnyObject, Sendable {
  var length: Int64 { get }

  /// All of it, if it is in memory.
  var immediate: Data? { get }

  /// At most `count` bytes from `offset`, fewer only at the end, which is empty. Throws `StoreFailure` if the file can't be read.
  nonisolated(nonsending) func read(from offset: Int64, upTo count: Int) async throws -> Data

  func close()
}

/// Takes the body of one response on its way into the store. Used by one load at a time.
package protocol BodyWriter: AnyObject, Sendable {
  /// Bytes beyond which the body is refused.
  var largestBody: Int64 { get }

  /// Says under which policy the response will be stored, if the app has chosen another than the response had; before the first `append`.
  func use(policy: Int)

  /// Returns when there is room for the next piece; false if the body has become too long or can't be written: the writer is abandoned
  /// then.
  nonisolated(nonsending) func append(_ bytes: Data) async -> Bool

  /// The body is whole. Look-ups of this process find the response from now on; the disk has it a little later (`flush`).
  nonisolated(nonsending) func commit(_ final: StoredResponse) async

  /// Whether `append` has to wait for a disk to take `count` more bytes.
  func waits(toAppend count: Int) -> Bool

  /// Whether `commit` has to wait for a disk.
  var waitsToCommit: Bool { get }

  /// Forgets what was written. After `commit` or `abandon` it does nothing.
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
