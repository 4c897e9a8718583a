import Dispatch
import Foundation
import LoadingModel
import ProtocolRules

/// Remembers which hosts asked to be reached by TLS only (RFC 6797): in memory, and on disk for sessions that keep things.
///
/// A mirror in memory answers; disk is only looked at when a load without TLS first asks, and when another process has changed it. What
/// is noted counts at once in this process and is on disk shortly after: a kill in between costs one note, which the host repeats.
/// Thread-safe; nothing here blocks its caller.
package final class HSTSStore: Sendable {
  /// The process's store on disk.
  package static let shared = HSTSStore(file: StoreLocation.standard.hstsFile)

  private struct State {
    var hosts = HSTSHosts()
    /// Changes that aren't on disk yet, by host: they override what is read from there.
    var unsaved: [String: HSTSHosts.Change] = [:]
    var isCleared = false
    /// The mirror's source and its state when it was read; nil until it was.
    var synced: (counter: ChangeCounter, count: UInt64)?

    /// Whether the mirror shows what all processes have written.
    var isCurrent: Bool { synced.map { $0.counter.value == $0.count } ?? false }
  }

  private let state = Mutex(State())
  /// nil for a store in memory.
  private let disk: HSTSFile?
  private let queue: DispatchQueue

  /// A store in memory, for sessions that keep nothing.
  package init() { (disk, queue) = (nil, HSTSStore.makeQueue()) }

  /// A store on disk. The file is opened, or made, when it is first needed.
  ///
  /// - Parameter queue: A serial queue on which the file is read and written; nil makes one.
  package init(file: URL, queue: DispatchQueue? = nil) { (disk, self.queue) = (HSTSFile(file), queue ?? HSTSStore.makeQueue()) }

  private static func makeQueue() -> DispatchQueue { DispatchQueue(label: "org.url-loading-system.hsts", qos: .utility) }

  /// Whether loads from `host` must use TLS; nil if the disk has to be asked: call `refresh()` and ask again.
  ///
  /// - Parameter host: As in `Origin.host`.
  package func requiresTLS(_ host: String, now: @autoclosure () -> Date) -> Bool? {
    state.withLock { state in
      if disk == nil || state.isCurrent { return !state.hosts.isEmpty && state.hosts.requiresTLS(host, now: now()) }
      // An address is never in the table: no reason to open it.
      if case .address = HostKind(host) { return false }
      return nil
    }
  }

  /// As `requiresTLS`, from what is known without asking the disk.
  package func isKnownToRequireTLS(_ host: String, now: Date) -> Bool {
    state.withLock { $0.hosts.requiresTLS(host, now: now) }
  }

  /// Brings the mirror up to date with the disk. Other loads continue meanwhile.
  package func refresh() async {
    guard let disk else { return }
    await withCheckedContinuation { done in
      queue.async { [self] in
        load(disk)
        done.resume()
      }
    }
  }

  /// Notes what a response from `host` over an error-free secure connection asked for.
  package func note(_ policy: StrictTransportSecurity, from host: String, now: Date) {
    guard let disk else {
      noteInMirror(policy, host, now)
      return
    }
    // Until the mirror has been read, whether this is news isn't known; most often it isn't.
    if state.withLock({ $0.isCurrent }) {
      guard noteInMirror(policy, host, now) else { return }
      queue.async { [self] in save(disk) }
    } else {
      queue.async { [self] in
        load(disk)
        if noteInMirror(policy, host, now) { save(disk) }
      }
    }
  }

  /// Forgets every host.
  package func removeAll() {
    state.withLock { state in
      state.hosts = HSTSHosts()
      guard disk != nil else { return }
      state.unsaved = [:]
      state.isCleared = true
    }
    guard let disk else { return }
    queue.async { [self] in save(disk) }
  }

  /// Returns when everything noted so far is on disk, as far as the disk takes it.
  package func flush() async {
    await withCheckedContinuation { done in queue.async { done.resume() } }
  }

  @discardableResult
  private func noteInMirror(_ policy: StrictTransportSecurity, _ host: String, _ now: Date) -> Bool {
    state.withLock { state in
      guard let change = state.hosts.change(by: policy, from: host, now: now) else { return false }
      let forgotten = state.hosts.apply(change, now: now)
      guard disk != nil else { return false }
      state.unsaved[change.host] = change
      for host in forgotten { state.unsaved[host] = .remove(host) }
      return true
    }
  }

  // MARK: on the queue

  private func load(_ disk: HSTSFile) {
    guard !state.withLock({ $0.isCurrent }), let read = disk.read() else { return }
    state.withLock { state in
      var hosts = HSTSHosts(state.isCleared ? [:] : read.hosts)
      for change in state.unsaved.values { _ = hosts.apply(change, now: .distantPast) }
      state.hosts = hosts
      state.synced = (read.counter, read.count)
    }
  }

  private func save(_ disk: HSTSFile) {
    let (changes, clears) = state.withLock { state in
      defer { state.isCleared = false }
      return (state.unsaved, state.isCleared)
    }
    guard clears || !changes.isEmpty else { return }
    let before = disk.write(Array(changes.values), clearing: clears)
    state.withLock { state in
      guard let before else {
        // The disk is full or unavailable: tried again with the next change.
        state.isCleared = state.isCleared || clears
        return
      }
      for (host, change) in changes where state.unsaved[host] == change { state.unsaved[host] = nil }
      if let synced = state.synced, synced.count == before { state.synced = (synced.counter, before &+ 1) }
    }
  }
}
