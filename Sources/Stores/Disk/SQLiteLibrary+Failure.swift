import Foundation

extension SQLiteLibrary {
  /// The failure to keep anything in `file` because SQLite isn't installed; nil if it is.
  static func failure(of file: URL) -> StoreFailure? {
    absence.map { StoreFailure(path: file.path(percentEncoded: false), reason: $0, cause: .noSQLite) }
  }
}
