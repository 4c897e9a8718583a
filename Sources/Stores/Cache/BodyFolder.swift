import Foundation

/// The files of bodies that are too large for the database: `bodies/xx/<id>`, and `bodies/incoming/` for bodies being received.
///
/// A body is written to `incoming`, synced and renamed, and only then does a row name it: a file that a row names is complete, also after a power
/// cut. A file that no row names was left by a killed process, and is removed after a while. Every function blocks.
struct BodyFolder: Sendable {
  /// Seconds without a write after which a file that no row names is removed. A body that pauses for longer while it is received isn't stored.
  static let orphanAge = 3600.0
  /// Seconds after which a renamed file has its row, or never gets one.
  private static let placingTime = 60.0
  /// How many of the 256 folders one sweep looks into.
  private static let foldersSwept = 16
  private static let folderCount = 256
  /// Largest body, in bytes, that is checked as a whole when it is opened, so that damage counts as a miss. Larger bodies are checked block by block
  /// as they are read.
  private static let checkedAtOnce: Int64 = 4 << 20

  private let root: String
  /// The threads on which opened bodies are read.
  private let threads: CacheThreads
  private var incoming: String { root + "/incoming" }

  init(_ root: URL, threads: CacheThreads) throws(StoreFailure) {
    self.threads = threads
    var path = root.path(percentEncoded: false)
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    self.root = path
    try BodyFolder.makeFolder(path)
    try BodyFolder.makeFolder(incoming)
  }

  private static func makeFolder(_ path: String) throws(StoreFailure) {
    if mkdir(path, 0o700) != 0, errno != EEXIST { throw StoreFailure(path: path, code: errno) }
  }

  private func folder(_ id: Int64) -> String { root + "/" + BodyFolder.hex(UInt64(bitPattern: id) & 0xFF, digits: 2) }

  func path(_ id: Int64) -> String { folder(id) + "/" + BodyFolder.hex(UInt64(bitPattern: id), digits: 16) }

  private static func hex(_ number: UInt64, digits: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  /// Makes a file in `incoming` for the body `id`.
  func begin(_ id: Int64) throws(StoreFailure) -> UnfinishedBody {
    let path = incoming + "/" + BodyFolder.hex(UInt64(bitPattern: id), digits: 16)
    let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreFailure(path: path, code: errno) }
    return UnfinishedBody(path: path, descriptor: descriptor, id: id)
  }

  /// Writes the checksums behind a received body, syncs it, and renames it to its final path; if that fails, the file is removed.
  ///
  /// It is synced before it is renamed, because a row that survives a power cut must not name a file with missing bytes. The folder isn't synced: a
  /// file that is missing afterwards counts as a miss.
  func place(_ body: UnfinishedBody, as id: Int64) throws(StoreFailure) {
    try? BodyFolder.makeFolder(folder(id))
    do { try body.writeChecksums() } catch {
      body.discard()
      throw error
    }
    guard fdatasync(body.descriptor) == 0, rename(body.path, path(id)) == 0 else {
      let failure = StoreFailure(path: path(id), code: errno)
      body.discard()
      throw failure
    }
    body.close()
  }

  func remove(_ id: Int64) { unlink(path(id)) }

  /// Opens a body's file. nil if it is missing, isn't a regular file, doesn't have the size of `length` bytes with their checksums, or fails the
  /// check as a whole that small bodies get.
  func open(_ id: Int64, length: Int64) -> FileBody? {
    // The flags refuse a symbolic link, and don't wait for a pipe's writer: the cache makes regular files only.
    let descriptor = Foundation.open(path(id), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    let size = BodyChecksums.size(ofBody: length)
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, Int64(status.st_size) - size == length,
      let encoded = try? FileBody.bytes(of: descriptor, from: length, count: Int(clamping: size), path(id)),
      let checksums = BodyChecksums(id: id, encoded: encoded, length: length)
    else {
      Foundation.close(descriptor)
      return nil
    }
    let body = FileBody(path: path(id), descriptor: descriptor, length: length, checksums: checksums, threads: threads)
    guard length > BodyFolder.checkedAtOnce || body.isWhole else {
      body.close()
      return nil
    }
    return body
  }

  /// Removes files that killed processes have left: all old ones in `incoming`, and those without rows in some of the folders, which `turn` chooses.
  ///
  /// - Parameter isNamed: Returns which of the ids have rows in the database.
  func sweep(turn: Int, now: Date, isNamed: ([Int64]) -> Set<Int64>) {
    for (path, _) in old(incoming, now, BodyFolder.orphanAge) { unlink(path) }
    for step in 0..<BodyFolder.foldersSwept {
      let number = (turn &* BodyFolder.foldersSwept &+ step) & (BodyFolder.folderCount - 1)
      sweep(number, now, olderThan: BodyFolder.orphanAge, isNamed)
    }
  }

  /// Removes the bodies of a damaged database that was replaced: all files without rows, except recent ones, whose rows may follow.
  func sweepAll(now: Date, isNamed: ([Int64]) -> Set<Int64>) {
    for number in 0..<BodyFolder.folderCount { sweep(number, now, olderThan: BodyFolder.placingTime, isNamed) }
  }

  private func sweep(_ number: Int, _ now: Date, olderThan age: Double, _ isNamed: ([Int64]) -> Set<Int64>) {
    let files = old(root + "/" + BodyFolder.hex(UInt64(number), digits: 2), now, age)
    guard !files.isEmpty else { return }
    let named = isNamed(files.compactMap(\.id))
    for (path, id) in files where id.map({ !named.contains($0) }) ?? true { unlink(path) }
  }

  /// The files of `folder` that have not been written for `age` seconds.
  private func old(_ folder: String, _ now: Date, _ age: Double) -> [(path: String, id: Int64?)] {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return [] }
    return names.compactMap { name in
      let path = folder + "/" + name
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
        now.timeIntervalSince1970 - Double(status.st_mtim.tv_sec) > age
      else { return nil }
      return (path, UInt64(name, radix: 16).map { Int64(bitPattern: $0) })
    }
  }
}

/// A file in `incoming` to which a body is being written. Its owner makes sure that one thread at a time uses it.
struct UnfinishedBody: Sendable {
  let path: String
  let descriptor: Int32
  private var checksums: BodyChecksums

  init(path: String, descriptor: Int32, id: Int64) {
    self.path = path
    self.descriptor = descriptor
    checksums = BodyChecksums(id: id)
  }

  /// Appends whole blocks (`BodyChecksums.blockSize`), or the last bytes of the body. If it throws, the file may have a part of `data`.
  mutating func append(_ data: Data) throws(StoreFailure) {
    checksums.append(data)
    try write(data)
  }

  fileprivate func writeChecksums() throws(StoreFailure) { try write(checksums.encoded) }

  private func write(_ data: Data) throws(StoreFailure) {
    let code = data.withUnsafeBytes { bytes -> Int32 in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return count < 0 ? errno : EIO }
        rest = rest.dropFirst(count)
      }
      return 0
    }
    if code != 0 { throw StoreFailure(path: path, code: code) }
  }

  func close() { _ = Foundation.close(descriptor) }

  func discard() {
    close()
    unlink(path)
  }
}
