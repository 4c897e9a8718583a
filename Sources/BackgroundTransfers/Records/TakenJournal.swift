import Foundation
import Stores

/// The file into which an app writes the identifiers of events whose callbacks have returned, eight bytes each, little-endian.
///
/// Appended identifiers survive any end of the app, so that the daemon doesn't tell an event again if the app is killed before its message arrives.
/// App and daemon each hold the file's lock (flock) while they use it.
package struct TakenJournal: Sendable {
  /// Maximum number of identifiers that are read; more than a session's events, so that bytes beyond it don't come from an app.
  private static let limit = 1 << 20
  private static let size = MemoryLayout<Int64>.size
  /// Seconds to wait for the other process's lock: few, because the daemon waits on the queue that serves all apps.
  static let patience = 0.3

  package let file: URL

  /// - Parameters:
  ///   - folder: The folder of all journals, which is made when needed.
  ///   - session: The session's identifier in the daemon's database.
  package init(folder: URL, session: Int64) {
    file = folder.appending(path: "\(session).taken", directoryHint: .notDirectory)
  }

  /// Appends the identifiers: all of them, or none if it throws.
  ///
  /// - Throws: `StoreFailure`, also if the disk is full.
  package func append(events: [Int64]) throws {
    guard !events.isEmpty else { return }
    let journal = try open()
    defer { journal.close() }
    try TakenJournal.append(events, to: journal)
  }

  /// - Parameter journal: The file, opened and locked.
  static func append(_ events: [Int64], to journal: StoreFile) throws {
    // After the last whole identifier: a process that was killed while it wrote may have left a part of one.
    let end = try TakenJournal.count(journal, limit: .max) * TakenJournal.size
    var bytes = Data(capacity: events.count * TakenJournal.size)
    for event in events { withUnsafeBytes(of: event.littleEndian) { bytes.append(contentsOf: $0) } }
    do {
      try TakenJournal.write(bytes, at: end, journal)
    } catch {
      ftruncate(journal.descriptor, off_t(end))
      throw error
    }
  }

  /// Reads and empties the journal.
  ///
  /// - Parameter commit: Removes the events from the database. The file is emptied when it has returned, and stays as it is if it throws. If the
  ///   process is killed between the two, `commit` is given the events again by the next call.
  /// - Returns: The events, in the order in which they were appended.
  @discardableResult
  package func takeAll(_ commit: ([Int64]) throws -> Void = { _ in }) throws -> [Int64] {
    guard access(file.path(percentEncoded: false), F_OK) == 0 else { return [] }
    let journal = try open()
    defer { journal.close() }
    let events = try TakenJournal.events(journal)
    if !events.isEmpty { try commit(events) }
    guard ftruncate(journal.descriptor, 0) == 0 else { throw StoreFailure(path: journal.path, code: errno).asRefusal }
    return events
  }

  /// Removes the file, because the session is deleted.
  package func remove() { unlink(file.path(percentEncoded: false)) }

  private func open() throws -> StoreFile {
    do {
      try StoreFiles.makeFolder(file.deletingLastPathComponent())
      return try StoreFile(locked: file, patience: TakenJournal.patience)
    } catch {
      throw StoreFailure(path: file.path(percentEncoded: false), error).asRefusal
    }
  }

  /// How many whole identifiers the file has, up to `limit`.
  private static func count(_ journal: StoreFile, limit: Int) throws -> Int {
    var status = stat()
    guard fstat(journal.descriptor, &status) == 0 else { throw StoreFailure(path: journal.path, code: errno).asRefusal }
    return min(Int(status.st_size) / size, limit)
  }

  private static func events(_ journal: StoreFile) throws -> [Int64] {
    var events = [Int64](repeating: 0, count: try count(journal, limit: limit))
    let wanted = events.count * size
    var position = 0
    while position < wanted {
      let count = events.withUnsafeMutableBytes { bytes in
        pread(journal.descriptor, bytes.baseAddress?.advanced(by: position), wanted - position, off_t(position))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw StoreFailure(path: journal.path, code: count < 0 ? errno : EIO).asRefusal }
      position += count
    }
    return events.map { Int64(littleEndian: $0) }
  }

  private static func write(_ bytes: Data, at start: Int, _ journal: StoreFile) throws {
    var position = 0
    while position < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        pwrite(journal.descriptor, buffer.baseAddress?.advanced(by: position), bytes.count - position, off_t(start + position))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw StoreFailure(path: journal.path, code: count < 0 ? errno : ENOSPC).asRefusal }
      position += count
    }
  }
}
