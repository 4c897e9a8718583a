import Foundation
import LoadingModel
import ProtocolRules

/// The database of a cookie store, opened at first use. Except for `changes` and `failure`, its members must be used on `queue`, and block.
final class CookieDisk: Sendable {
  /// Whether the jar in memory has been read from the open database.
  private enum Reading {
    case due
    case done
  }

  private struct State {
    var database: StoreDatabase?
    /// Identity of the open file, or of the last one that could be used.
    var identity: FileIdentity?
    var failure: StoreFailure?
    /// Whether expired cookies were removed from the database, once in the process's life.
    var isSwept = false
    var reading = Reading.due
    /// Whether the file in use was found damaged and replaced, by this process or another: memory may have cookies that the new file lacks.
    var hasLost = false

    /// Notes the database that was opened, and whether it has replaced another one.
    mutating func take(_ database: StoreDatabase) {
      if let identity, database.lacks(identity) { hasLost = true }
      self.database = database
      identity = database.identity ?? identity
    }
  }

  /// Serial: all reading and writing of the database, and the changes of the jar that go with it.
  let queue = DispatchQueue(label: "URLLoadingSystem.cookies", qos: .userInitiated)
  private let file: URL
  private let state = Mutex(State())
  private let counter: ChangeCounter

  init(_ file: URL) {
    self.file = file
    // The counter's file needs the folder. If that can't be made, opening the database reports the error.
    try? FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    counter = ChangeCounter(beside: file)
  }

  /// Number of changes of the store by all processes, for comparing.
  var changes: UInt64 { counter.value }

  var failure: StoreFailure? { state.withLock { $0.failure } ?? counter.failure }

  /// - Parameter isSuspect: Whether the file is checked as a whole, because damage was met in it.
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
        // On a full disk the database would be in memory: it isn't used, and opening is tried again the next time.
        guard database.failure?.cause != .fullDisk else { return }
        $0.take(database)
      }
      // Other processes may have cookies in memory that the new file lacks: the bump has them look.
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

  /// Runs `body` with the database. If that turns out to be damaged, opens it again, which replaces the file, and runs `body` once more.
  private func perform<Value>(_ body: (StoreDatabase) throws -> Value) throws -> Value? {
    guard let database = open() else { return nil }
    do {
      return try body(database)
    } catch let error as DatabaseError where error.isDamage {
      close(database)
      return try open(isSuspect: true).map(body)
    }
  }

  /// Whether the file that memory was read from was replaced by another one, which still lacks cookies that memory has.
  var hasLost: Bool { state.withLock { $0.hasLost } }

  private func note(_ error: any Error) {
    let failure = StoreFailure(path: file.path(percentEncoded: false), error)
    state.withLock { $0.failure = failure }
  }

  /// The cookies on disk that haven't expired; nil if it can't be read.
  func cookies(now: Date) -> [StoredCookie]? {
    // Without the file there are no cookies: no database is made for an app that never stores one.
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

  /// The result of writing changes.
  enum Commit {
    /// The changes are written; `before` is the change count just before.
    case written(before: UInt64)
    /// The changes are written, to a database that couldn't be read so far: it may have cookies that memory lacks.
    case writtenUnread
    /// The disk has refused the changes; memory alone has them.
    case refused
  }

  /// Commits `changes`, and bumps the change counter for other processes.
  func commit(_ changes: [CookieChange], now: Date) -> Commit {
    write(now) { try CookieTable.apply(changes, $0) }
  }

  /// Commits the cookies of a replaced file that memory still has, except those of which the new file has newer values, and bumps the counter.
  ///
  /// - Returns: Whether the new file has them now.
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
