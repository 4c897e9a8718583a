import Foundation
import Testing

@testable import Stores

/// Damage in a database that reading its tables doesn't meet.
enum DamagedFreeList {
  /// Overwrites the first page of the list of free pages of `file`, which must have some, and may be in use.
  ///
  /// - Parameter change: A statement that changes a row: other connections forget what they have read of the file.
  static func make(in file: URL, after change: String) throws {
    let database = try DatabaseConnections(path: file.path())
    try database.write { try $0.execute(sql: change) }
    // What the log has is written into the file.
    try database.withWriter { try $0.truncateLog() }
    database.close()
    // The file format has the size of a page at byte 16 of the header, and the number of that page at byte 32.
    let header = [UInt8](try Data(contentsOf: file).prefix(100))
    try #require(header.count == 100)
    let size = Int(header[16]) << 8 | Int(header[17])
    let page = header[32..<36].reduce(0) { $0 << 8 | Int($1) }
    try #require(page > 1 && size >= 512)
    let handle = try FileHandle(forWritingTo: file)
    try handle.seek(toOffset: UInt64((page - 1) * size))
    try handle.write(contentsOf: Data(repeating: 7, count: size))
    try handle.close()
  }
}
