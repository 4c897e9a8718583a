import CLoadingSQLite
import Foundation

/// The system's SQLite library, loaded when a store first needs a disk. Without it, stores keep their data in memory.
enum SQLiteLibrary {
  /// Why SQLite can't be used; nil if it can. The first use also writes the reason to standard error.
  static let absence: String? = {
    guard let absence = uls_sqlite_absence() else { return nil }
    let reason = "SQLite can't be used: \(String(cString: absence))"
    let line = "URLLoadingSystem: \(reason). Until then cookies, cache and other stores are kept in memory.\n"
    try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
    return reason
  }()

  static var isAvailable: Bool { absence == nil }
}
