import Dispatch
import Foundation
import LoadingModel

/// A table in memory that mirrors a file which all processes share, if the store is on disk.
///
/// Questions are answered from memory; the file is read when the owner asks for it, or to make a change, if another process has written it. A change
/// counts at once in this process, and is on disk shortly after: if the process is killed in between, the change is lost. Thread-safe; nothing here
/// blocks its caller.
final class TableStore<Table: StoredTable>: Sendable {
  private struct State {
    var table = Table()
    /// Changes that aren't on disk yet, by key; they are applied on top of what is read from there.
    var unsaved: [Table.Change.Key: Table.Change] = [:]
    var isCleared = false
    /// The counter of the file that the table was read from, and its value then; nil until it was read.
    var synced: (counter: ChangeCounter, count: UInt64)?

    /// Whether the table has what all processes have written.
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

  /// The answer from the table in memory, if that has what all processes have written; nil if not: `refresh()` must be called first.
  func current<Answer>(_ answer: (Table) -> Answer) -> Answer? {
    state.withLock { state in disk == nil || state.isCurrent ? answer(state.table) : nil }
  }

  /// The answer from the table in memory, which may lack what other processes have written.
  func known<Answer>(_ answer: (Table) -> Answer) -> Answer { state.withLock { answer($0.table) } }

  /// Whether the table in memory has what all processes have written.
  var isCurrent: Bool { disk == nil || state.withLock(\.isCurrent) }

  /// Reads the file, if other processes have written it.
  func refresh() async {
    await withCheckedContinuation { done in refresh { done.resume() } }
  }

  /// Reads the file, if other processes have written it, then calls `done` on the store's queue, or at once for a store in memory.
  func refresh(_ done: @escaping @Sendable () -> Void) {
    guard let disk else { return done() }
    queue.async { [self] in
      load(disk)
      done()
    }
  }

  /// Makes the changes that `decide` returns for the table. If the file has to be read first, this happens later, on the store's queue.
  func change(now: Date, _ decide: @escaping @Sendable (Table) -> [Table.Change]) {
    guard let disk else {
      apply(now, decide)
      return
    }
    // If the table in memory is outdated, it isn't known whether this changes anything: the file is read first.
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

  /// Removes all entries.
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

  /// Returns when every change so far is on disk, or the disk has refused it.
  func flush() async {
    await withCheckedContinuation { done in queue.async { done.resume() } }
  }

  /// Applies the changes that `decide` returns to the table in memory.
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
      // If the new file couldn't be filled, memory keeps the entries that only it has.
      if disk.hasLost { for change in state.table.news(for: table) { _ = table.apply(change, now: .distantPast) } }
      for change in state.unsaved.values { _ = table.apply(change, now: .distantPast) }
      state.table = table
      state.synced = (read.counter, read.count)
    }
  }

  /// Writes the entries in memory to a file that has replaced a damaged one.
  ///
  /// - Returns: Whether the file has them now.
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
        // The disk is full or can't be used: the changes are tried again with the next one.
        state.isCleared = state.isCleared || clears
        return
      }
      for (key, change) in changes where state.unsaved[key] == change { state.unsaved[key] = nil }
      guard let synced = state.synced else { return }
      // If the counter is a new object, the file was opened again: the table in memory counts as outdated.
      if synced.counter !== counter {
        state.synced = nil
      } else if synced.count == before {
        state.synced = (counter, before &+ 1)
      }
    }
    if disk.hasLost { refill(disk) }
  }
}
