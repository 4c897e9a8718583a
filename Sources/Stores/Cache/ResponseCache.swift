import Foundation
import LoadingModel

/// A store of responses: memory above disk, or memory alone.
///
/// Changes apply to its own look-ups at once; they are written to disk on another thread (`flush` waits for that), and other processes see them then.
/// Functions whose names end in `Now` block, and mustn't be called on an event loop.
package final class ResponseCache: ResponseStore {
  /// Number of noted uses after which they are written without waiting for another change.
  private static let usesAtOnce = 256
  /// Maximum number of bytes of bodies that wait to be written to a slow disk; bodies beyond it are kept in memory alone, or not stored.
  private static let waitingLimit = 32 * 1024 * 1024

  let state: Mutex<CacheState>
  let disk: CacheDisk?
  package let now: @Sendable () -> Date

  /// - Parameters:
  ///   - memoryCapacity: Bytes.
  ///   - diskCapacity: Bytes; 0 for memory alone.
  ///   - directory: The folder on disk, in which nothing is made before the first use; nil for memory alone, whatever the capacity.
  ///   - now: The time of day.
  package init(memoryCapacity: Int, diskCapacity: Int, directory: URL?, now: @escaping @Sendable () -> Date = { Date() }) {
    disk = directory.map { CacheDisk(directory: $0) }
    self.now = now
    let usesDisk = directory != nil && diskCapacity > 0
    state = Mutex(
      CacheState(
        memoryCapacity: max(0, memoryCapacity), diskCapacity: max(0, diskCapacity), index: usesDisk ? .unread([]) : .none))
    // The index is read in the background at first use; until then the disk is asked for each URL.
    opening = Mutex(usesDisk ? .due : .begun)
  }

  enum Phase {
    case due
    case begun
    /// The disk was too full to be opened; it is tried again with the first store after `until`.
    case lost(until: Date)
  }

  let opening: Mutex<Phase>

  /// Why nothing is kept on disk; nil if it is, or hasn't been tried.
  package var failure: StoreFailure? { disk?.failure }

  // MARK: looking up

  package func holdsNothing(for target: Target) -> Bool {
    let hash = CacheKey.hash(target)
    // True if the index is known and has no such URL, or there is no disk: then the disk needn't be opened.
    if state.withLock({ $0.holdsNothing(hash) }) { return true }
    openIfDue()
    return false
  }

  package func mayHaveToRemove(_ target: Target) -> Bool {
    state.withLock { !$0.underWay.isEmpty } || !holdsNothing(for: target)
  }

  package func candidates(for url: String) -> [StoredResponse]? {
    openIfDue()
    let hash = CacheKey.hash(url)
    return state.withLock { $0.candidates(url, hash) }
  }

  package nonisolated(nonsending) func loadCandidates(for url: String) async -> [StoredResponse] {
    if let known = candidates(for: url) { return known }
    guard let disk else { return askDisk(url) }
    return await disk.threads.reading { self.askDisk(url) } ?? known(url)
  }

  /// As `loadCandidates`, but blocks.
  package func candidatesNow(for url: String) -> [StoredResponse] { candidates(for: url) ?? askDisk(url) }

  /// The responses for the URL that memory has, used if the disk can't be asked.
  private func known(_ url: String) -> [StoredResponse] { state.withLock { $0.remembered(url, CacheKey.hash(url)) } }

  private func askDisk(_ url: String) -> [StoredResponse] {
    let hash = CacheKey.hash(url)
    guard let cache = settled(hash) else { return known(url) }
    synchronise(cache)
    let epoch = state.withLock { $0.epoch(hash) }
    guard let found = try? cache.responses(hash: hash) else { return known(url) }
    return state.withLock { $0.absorb(found, url, hash, epoch: epoch) }
  }

  /// The disk cache, once all changes for `hash` are written; nil if there is no disk, or it refuses them: its content is outdated then.
  private func settled(_ hash: Int64) -> DiskCache? {
    guard let disk else { return nil }
    if let known = disk.known, !state.withLock({ $0.isPending(hash) }) { return known }
    return disk.writeNow { cache in
      drain(cache)
      return state.withLock { $0.isPending(hash) } ? nil : cache
    }
  }

  package func immediateBody(_ response: StoredResponse) -> Data? {
    guard let body = state.withLock({ $0.body(response) }) else { return nil }
    note(useOf: response)
    return body
  }

  package nonisolated(nonsending) func openBody(_ response: StoredResponse) async -> (any StoredBody)? {
    if let body = immediateBody(response) { return MemoryBody(body) }
    guard usesDisk, let disk else { return nil }
    return await disk.threads.reading { self.openOnDisk(response) } ?? nil
  }

  /// The whole body; nil if it was removed meanwhile. Blocks.
  package func bodyNow(_ response: StoredResponse) -> Data? {
    if let body = immediateBody(response) { return body }
    guard usesDisk else { return nil }
    switch openOnDisk(response) {
    case let body as FileBody:
      let data = try? body.readNow(from: 0, upTo: Int(clamping: body.length))
      if data == nil { remove(response) }
      return data
    case let body?: return body.immediate
    case nil: return nil
    }
  }

  private func openOnDisk(_ response: StoredResponse) -> (any StoredBody)? {
    guard let cache = settled(CacheKey.hash(response.url)) else { return nil }
    let body: (any StoredBody)?
    // An error of the disk may pass, so the response stays; a row whose body is missing is removed.
    do { body = try cache.body(response) } catch { return nil }
    guard let body else {
      remove(response)
      return nil
    }
    note(useOf: response)
    guard body.length <= limits(policy: 0).kept else { return body }
    guard let data = body.immediate ?? (try? (body as? FileBody)?.readNow(from: 0, upTo: Int(body.length))) else { return body }
    body.close()
    state.withLock { $0.absorb(data, of: response) }
    return MemoryBody(data)
  }

  private func note(useOf response: StoredResponse) {
    guard let disk else { return }
    let date = now()
    let isDue = state.withLock { state in
      guard !state.index.isNone else { return false }
      guard state.note(use: response.id, at: date) >= ResponseCache.usesAtOnce, state.draining == .idle else { return false }
      state.draining = .scheduled
      return true
    }
    if isDue { disk.write { self.drain($0) } }
  }

  // MARK: storing

  package func beginStoring(_ response: StoredResponse, expectedLength: Int64?) -> (any BodyWriter)? {
    guard response.storagePolicy < 2 else { return nil }
    regainDiskIfDue()
    openIfDue()
    let limits = limits(policy: response.storagePolicy)
    guard limits.largest > 0, expectedLength ?? 0 <= limits.largest else { return nil }
    state.withLock { $0.underWay.begin(response) }
    return BodyDraft(id: response.id, cache: self, limits: limits, disk: response.storagePolicy == 0 && usesDisk ? disk : nil)
  }

  /// A response that was being received won't be stored.
  func givenUp(_ id: Int64) { state.withLock { _ = $0.underWay.end(id) } }

  /// Stores a response with its whole body, as the app has given it. Its size is only bounded by the capacity.
  package func store(_ response: StoredResponse, body: Data) {
    guard response.storagePolicy < 2 else { return }
    regainDiskIfDue()
    openIfDue()
    var response = response
    response.bodyLength = Int64(body.count)
    store(response, .bytes(body), kept: body, from: .app)
  }

  package var waitsForDisk: Bool { disk != nil }

  var usesDisk: Bool { disk != nil && state.withLock { !$0.index.isNone && $0.diskCapacity > 0 } }

  /// - Parameter source: `.load` for a received response: it is stored only if nothing that covers it was removed since its load began.
  func store(_ response: StoredResponse, _ body: CacheChange.Body, kept: Data?, from source: StoredResponse.Source) {
    change { state in
      if source == .load, !state.underWay.end(response.id) {
        if case .file(let file, _) = body { disk?.threads.later { file.discard() } }
        return nil
      }
      // The older response is removed even if the new one is too large to be stored, because it is outdated.
      let variant = response.variant
      state.remove(response.url) { $0.variant == variant }
      let fitsDisk = response.storagePolicy == 0 && body.length <= Int64(state.diskCapacity)
      let home: CacheVariants.Home = fitsDisk && !state.index.isNone && state.bytesHeld < ResponseCache.waitingLimit ? .disk : .memory
      if home == .disk || kept != nil {
        state.put(CacheVariants.Entry(response: response, body: kept, home: home))
      }
      if home == .disk { return .store(response, body) }
      if case .file(let file, _) = body { disk?.threads.later { file.discard() } }
      return state.index.isNone ? nil : .removeVariant(url: response.url, variant)
    }
  }

  package func update(_ response: StoredResponse, head: ResponseHead, requestTime: Date, responseTime: Date) {
    let updated = response.updated(head: head, requestTime: requestTime, responseTime: responseTime)
    change { $0.update(updated) == .disk && !$0.index.isNone ? .update(updated) : nil }
  }

  // MARK: removing

  package func remove(_ response: StoredResponse) {
    change { state in
      state.remove(response.url) { $0.id == response.id }
      return state.index.isNone ? nil : .remove(id: response.id, url: response.url)
    }
  }

  package func removeAll(url: String) {
    let hash = CacheKey.hash(url)
    change { state in
      state.underWay.remove(url: url)
      if state.holdsNothing(hash) { return nil }
      state.remove(url) { _ in true }
      return state.index.isNone ? nil : .removeURL(url)
    }
  }

  package func removeAll() {
    change { state in
      state.underWay.removeAll()
      state.removeAll()
      return state.index.isNone ? nil : .removeAll
    }
  }

  /// Removes the responses that were received after `date`.
  package func removeAll(after date: Date) {
    change { state in
      state.underWay.remove(after: date)
      state.removeStored(after: date)
      return state.index.isNone ? nil : .removeStored(after: date)
    }
  }
}
