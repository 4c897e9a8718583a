import Dispatch
import Foundation
import LoadingModel

/// A table in memory that, in a store on disk, all processes share.
///
/// A mirror in memory answers; disk is only looked at when the owner asks for it, and when another process has changed it. A change counts
/// at once in this process and is on disk shortly after: a kill in between costs that change. Thread-safe; nothing here blocks its caller.
final class TableStore<Table: StoredTable>: Sendable {
  private struct State {
    var table = Table()
    /// Changes that aren't on disk yet, by key: they override what is read from there.
    var unsaved: [Table.Change.Key: Table.Change] = [:]
    var isCleared = false
    /// The mirror's source and its state when it was read; nil until it was.
    var synced: (counter: ChangeCounter, count: UInt64)?

    /// Whether the mirror shows what all processes have written.
    var isCurrent: Bool { synced.map { $0.counter.value == $0.count } ?? false }
  }

  private let state = Mutex(State())
  /// nil for a store in memory.
  private let disk: TableFile<Table>?
  private let queue: DispatchQueue

  /// - Parameters:
  ///   - file: The file, which is opened, or made, when it is first needed; nil for a store in memory.
  ///   - queue: A serial queue on which the file is read and written.
  init(file: URL?, queue: DispatchQueue) {
    disk = file.flatMap { SQLiteLibrary.isAvailable ? TableFile($0) : nil }
    self.queue = queue
  }

  /// What the mirror says, if it shows what all processes have written; nil if the disk has to be asked: `refresh()`.
  func current<Answer>(_ answer: (Table) -> Answer) -> Answer? {
    state.withLock { state in disk == nil || state.isCurrent ? answer(state.table) : nil }
  }

  /// What the mirror says, without asking the disk.
  func known<Answer>(_ answer: (Table) -> Answer) -> Answer { state.withLock { answer($0.table) } }

  /// Whether the mirror shows what all processes have written.
  var isCurrent: Bool { disk == nil || state.withLock(\.isCurrent) }

  /// Brings the mirror up to date with the disk.
  func refresh() async {
    await withCheckedContinuation { done in refresh { done.resume() } }
  }

  /// Brings the mirror up to date with the disk, then calls `done`, on a thread of the store's.
  func refresh(_ done: @escaping @Sendable () -> Void) {
    guard let disk else { return done() }
    queue.async { [self] in
      load(disk)
      done()
    }
  }

  /// Makes the changes that `decide` returns, which sees the table as all processes have written it: on disk the file may have to be read
  /// first.
  func change(now: Date, _ decide: @escaping @Sendable (Table) -> [Table.Change]) {
    guard let disk else {
      apply(now, decide)
      return
    }
    // Until the mirror has been read, whether this is news isn't known; most often it isn't.
    if state.withLock({ $0.isCurrent }) {
      guard apply(now, decide) else { return }
      queue.async { [self] in save(disk) }
    } else {
      queue.async { [self] in
        load(disk)
        if apply(now, decide) { save(disk) }
      }
    }
  }

  /// Forgets everything.
  func removeAll() {
    state.withLock { state in
      state.table = Table()
      guard disk != nil else { return }
      state.unsaved = [:]
      state.isCleared = true
    }
    guard let disk else { return }
    queue.async { [self] in save(disk) }
  }

  /// Returns when every change so far is on disk, as far as the disk takes it.
  func flush() async {
    await withCheckedContinuation { done in queue.async { done.resume() } }
  }

  /// - Returns: Whether there is something to save.
  @discardableResult
  private func apply(_ now: Date, _ decide: (Table) -> [Table.Change]) -> Bool {
    state.withLock { state in
      let changes = decide(state.table)
      for change in changes {
        let forgotten = state.table.apply(change, now: now)
        guard disk != nil else { continue }
        state.unsaved[change.key] = change
        for key in forgotten { state.unsaved[key] = .removal(of: key) }
      }
      return disk != nil && !changes.isEmpty
    }
  }

  // MARK: on the queue

  private func load(_ disk: TableFile<Table>) {
    guard !state.withLock({ $0.isCurrent }), var read = disk.read() else { return }
    if disk.hasLost, refill(disk), let filled = disk.read() { read = filled }
    state.withLock { state in
      var table = state.isCleared ? Table() : read.table
      // Where the new file couldn't be filled, memory alone has the rest.
      if disk.hasLost { for change in state.table.news(for: table) { _ = table.apply(change, now: .distantPast) } }
      for change in state.unsaved.values { _ = table.apply(change, now: .distantPast) }
      state.table = table
      state.synced = (read.counter, read.count)
    }
  }

  /// Writes what memory has into a file that was begun in the place of a damaged one, by this process or another.
  ///
  /// - Returns: Whether the file has it now.
  @discardableResult
  private func refill(_ disk: TableFile<Table>) -> Bool { disk.fill(state.withLock(\.table)) }

  private func save(_ disk: TableFile<Table>) {
    let (changes, clears) = state.withLock { state in
      defer { state.isCleared = false }
      return (state.unsaved, state.isCleared)
    }
    guard clears || !changes.isEmpty else { return }
    let written = disk.write(Array(changes.values), clearing: clears)
    state.withLock { state in
      guard let (counter, before) = written else {
        // The disk is full or unavailable: tried again with the next change.
        state.isCleared = state.isCleared || clears
        return
      }
      for (key, change) in changes where state.unsaved[key] == change { state.unsaved[key] = nil }
      guard let synced = state.synced else { return }
      // The counter is opened with its file: the mirror of another file is outdated.
      if synced.counter !== counter {
        state.synced = nil
      } else if synced.count == before {
        state.synced = (counter, before &+ 1)
      }
    }
    if disk.hasLost { refill(disk) }
  }
}
