import Foundation

extension SQLiteLibrary {
  /// Why nothing can be kept in `file`; nil if SQLite is there.
  static func failure(of file: URL) -> StoreFailure? {
    absence.map { StoreFailure(path: file.path(percentEncoded: false), reason: $0, cause: .noSQLite) }
  }
}
