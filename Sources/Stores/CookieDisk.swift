import Foundation
import HTTPPolicy
import LoadingModel

/// The database behind a cookie store, opened at first need. All but `changes` and `failure` belongs on `queue` and blocks.
final class CookieDisk: Sendable {
  private struct State {
    var database: StoreDatabase?
    var failure: StoreFailure?
    /// Whether what had ended before this process began has been removed.
    var isSwept = false
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

  private func open() -> StoreDatabase? {
    if let database = state.withLock({ $0.database }) { return database }
    do {
      let database = try StoreDatabase(url: file, migrations: CookieTable.register) { database in
        _ = try CookieTable.all(database, now: .distantPast)
      }
      state.withLock {
        $0.database = database
        $0.failure = database.failure
      }
      return database
    } catch {
      note(error)
      return nil
    }
  }

  private func note(_ error: any Error) {
    let path = file.path(percentEncoded: false)
    state.withLock { $0.failure = StoreFailure(path: path, reason: "\(error)") }
  }

  /// What the disk holds; nil if it can't be read.
  func cookies(now: Date) -> [StoredCookie]? {
    // An app that never stores a cookie never opens a database.
    guard state.withLock({ $0.database != nil }) || FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else {
      return []
    }
    do {
      return try open()?.read { try CookieTable.all($0, now: now) }
    } catch {
      note(error)
      return nil
    }
  }

  /// Commits `changes` and tells the other processes.
  ///
  /// - Returns: The change count before; nil if they couldn't be written: memory then has what the disk hasn't.
  func commit(_ changes: [CookieChange], now: Date) -> UInt64? {
    do {
      guard let database = open() else { return nil }
      let isSwept = state.withLock { $0.isSwept }
      try database.write { database in
        if !isSwept { try CookieTable.removeEnded(database, now: now) }
        try CookieTable.apply(changes, database)
      }
      state.withLock {
        $0.failure = database.failure
        $0.isSwept = true
      }
      return counter.bump()
    } catch {
      note(error)
      return nil
    }
  }
}
