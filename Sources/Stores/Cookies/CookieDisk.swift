import Foundation
import LoadingModel
import ProtocolRules

/// The database behind a cookie store, opened at first need. All but `changes` and `failure` belongs on `queue` and blocks.
final class CookieDisk: Sendable {
  /// Whether memory has what was on disk when it was opened.
  private enum Reading {
    case due
    case done
  }

  private struct State {
    var database: StoreDatabase?
    /// Which file that is, or was the last that could be used.
    var identity: FileIdentity?
    var failure: StoreFailure?
    /// Whether what had ended before this process began has been removed.
    var isSwept = false
    var reading = Reading.due
    /// Whether the file that was in use has been found damaged and a new one begun, by whichever process: memory may have what it lacks.
    var hasLost = false

    /// Keeps a database that was opened.
    mutating func take(_ database: StoreDatabase) {
      if let identity, database.lacks(identity) { hasLost = true }
      self.database = database
      identity = database.identity ?? identity
    }
  }

  /// Serial: what reads and writes the database, and changes the jar for it.
  let queue = DispatchQueue(label: "URLLoadingSystem.cookies", qos: .userInitiated)
  private let file: URL
  private let state = Mutex(State())
  private let counter: ChangeCounter

  init(_ file: URL) {
    self.file = file
    // The counter needs its folder. Whether that can be made shows when the database is opened.
    try? FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    counter = ChangeCounter(beside: file)
  }

  /// How often any process has changed the store.
  var changes: UInt64 { counter.value }

  var failure: StoreFailure? { state.withLock { $0.failure } ?? counter.failure }

  /// - Parameter isSuspect: Whether damage has been met in the file.
  private func open(isSuspect: Bool = false) -> StoreDatabase? {
    if let known = state.withLock({ $0.database }) {
      // Another process may have found damage in the file, moved it aside and begun a new one.
      guard known.isReplaced else { return known }
      close(known)
      counter.follow()
    }
    do {
      let database = try StoreDatabase(url: file, migrations: CookieTable.register, isSuspect: isSuspect) { database in
        _ = try CookieTable.all(database, now: .distantPast)
      }
      state.withLock {
        $0.failure = database.failure
        // There may be room at the next attempt: nothing is entrusted to a database in memory until then.
        guard database.failure?.cause != .fullDisk else { return }
        $0.take(database)
      }
      // The others may have in memory what this file lacks.
      if database.movedAside != nil { counter.bump() }
      return database.failure?.cause == .fullDisk ? nil : database
    } catch {
      note(error)
      return nil
    }
  }

  private func close(_ database: StoreDatabase) {
    database.close()
    state.withLock {
      $0.database = nil
      $0.reading = .due
    }
  }

  /// Runs `body` with the database, and once more with a new one where the file turns out to be damaged: opening it again moves it aside.
  private func perform<Value>(_ body: (StoreDatabase) throws -> Value) throws -> Value? {
    guard let database = open() else { return nil }
    do {
      return try body(database)
    } catch let error as DatabaseError where error.isDamage {
      close(database)
      return try open(isSuspect: true).map(body)
    }
  }

  /// Whether the file that memory was read from is another's now, which may lack what memory has, until it has been filled.
  var hasLost: Bool { state.withLock { $0.hasLost } }

  private func note(_ error: any Error) {
    let failure = StoreFailure(path: file.path(percentEncoded: false), error)
    state.withLock { $0.failure = failure }
  }

  /// What the disk holds; nil if it can't be read.
  func cookies(now: Date) -> [StoredCookie]? {
    // An app that never stores a cookie never opens a database.
    guard state.withLock({ $0.database != nil }) || FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else {
      state.withLock { $0.reading = .done }
      return []
    }
    do {
      let cookies = try perform { try $0.read { try CookieTable.all($0, now: now) } }
      if cookies != nil { state.withLock { $0.reading = .done } }
      return cookies
    } catch {
      note(error)
      return nil
    }
  }

  /// What became of changes.
  enum Commit {
    /// Written; `before` is the change count before.
    case written(before: UInt64)
    /// Written, to a disk that couldn't be read so far: it may have what memory hasn't.
    case writtenUnread
    /// Memory has what the disk hasn't.
    case refused
  }

  /// Commits `changes` and tells the other processes.
  func commit(_ changes: [CookieChange], now: Date) -> Commit {
    write(now) { try CookieTable.apply(changes, $0) }
  }

  /// Commits what memory has of a file that has been lost, but for what its successor has newer, and tells the other processes.
  ///
  /// - Returns: Whether the successor has it now.
  func fill(_ cookies: [StoredCookie], now: Date) -> Bool {
    state.withLock { $0.hasLost = false }
    guard !cookies.isEmpty else { return true }
    guard case .refused = write(now, { try CookieTable.fill(cookies, $0) }) else { return true }
    state.withLock { $0.hasLost = true }
    return false
  }

  private func write(_ now: Date, _ body: (Database) throws -> Void) -> Commit {
    do {
      let isSwept = state.withLock { $0.isSwept }
      let written: StoreDatabase? = try perform { database in
        try database.write { database in
          if !isSwept { try CookieTable.removeEnded(database, now: now) }
          try body(database)
        }
        return database
      }
      guard let written else { return .refused }
      state.withLock {
        $0.failure = written.failure
        $0.isSwept = true
      }
      let before = counter.bump()
      return state.withLock { $0.reading == .done } ? .written(before: before) : .writtenUnread
    } catch {
      note(error)
      return .refused
    }
  }
}
