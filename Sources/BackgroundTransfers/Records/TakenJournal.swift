import Foundation
import Stores

/// The file into which an app writes the identifiers of events whose callbacks have returned, eight bytes each, little-endian.
///
/// What was appended survives the end of the app by whatever means, so that the daemon doesn't tell an event again if the app is killed
/// before its message arrives. Each side holds the file's lock (flock) while it appends or takes.
package struct TakenJournal: Sendable {
  /// More than one session has at once; what is behind isn't an app's work.
  private static let limit = 1 << 20
  private static let size = MemoryLayout<Int64>.size
  /// Seconds to wait for the other process. The daemon waits on the queue that serves all apps.
  static let patience = 0.3

  package let file: URL

  /// - Parameters:
  ///   - folder: Where the journals of all sessions lie; it is made if need be.
  ///   - session: The queue's identifier of the session.
  package init(folder: URL, session: Int64) {
    file = folder.appending(path: "\(session).taken", directoryHint: .notDirectory)
  }

  /// Appends the identifiers, all of them or none.
  ///
  /// - Throws: `StoreFailure`, also if the disk is full.
  package func append(events: [Int64]) throws {
    guard !events.isEmpty else { return }
    let journal = try open()
    defer { journal.close() }
    try TakenJournal.append(events, to: journal)
  }

  /// - Parameter journal: Open and locked.
  static func append(_ events: [Int64], to journal: StoreFile) throws {
    // Behind the last whole identifier: a piece of one is of a process that was ended while it wrote.
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

  /// Empties the journal.
  ///
  /// - Parameter commit: Takes the events out of the queue. The file is emptied when it has returned, and stays as it is if it throws; an
  ///   event may be given to it twice, if the process is ended in between.
  /// - Returns: The events, in the order of their appending.
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

  /// Removes the file: the session is no more.
  package func remove() { unlink(file.path(percentEncoded: false)) }

  private func open() throws -> StoreFile {
    do {
      try StoreFiles.makeFolder(file.deletingLastPathComponent())
      return try StoreFile(locked: file, patience: TakenJournal.patience)
    } catch {
      throw StoreFailure(path: file.path(percentEncoded: false), error).asRefusal
    }
  }

  /// How many whole identifiers the file has.
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
