import CLoadingSQLite
import Foundation

/// The system's SQLite, which is looked for when a store first wants a disk. Without it stores live in memory.
enum SQLiteLibrary {
  /// Why SQLite can't be used; nil if it can. Without it, a line on standard error says so, once.
  static let absence: String? = {
    guard let absence = uls_sqlite_absence() else { return nil }
    let reason = "SQLite can't be used: \(String(cString: absence))"
    let line = "URLLoadingSystem: \(reason). Until then cookies, cache and other stores are kept in memory.\n"
    try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
    return reason
  }()

  static var isAvailable: Bool { absence == nil }
}
