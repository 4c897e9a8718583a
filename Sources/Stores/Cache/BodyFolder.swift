import Foundation

/// The files of the bodies too large for the database: `bodies/xx/<id>`, and `bodies/incoming/` for those being received.
///
/// A body is written to `incoming`, synced, renamed, and only then does the database name it: what the database names is whole, also after
/// a power cut. What it doesn't name is an orphan of a process that was killed, and is swept after a while. Every function blocks.
struct BodyFolder: Sendable {
  /// Seconds after which a file that no row names belongs to no living process. A body that is received more slowly isn't stored.
  static let orphanAge = 3600.0
  /// Seconds within which a file that has its name has its row as well.
  private static let placingTime = 60.0
  /// Folders looked into at a time.
  private static let foldersSwept = 16
  private static let folderCount = 256
  /// Bytes of bodies that are checked whole before anything of them is handed out: what is damaged is a miss then. Larger ones are checked
  /// block by block as they are read.
  private static let checkedAtOnce: Int64 = 4 << 20

  private let root: String
  /// Where the files are read.
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

  /// A file to receive the body of `id`.
  func begin(_ id: Int64) throws(StoreFailure) -> UnfinishedBody {
    let path = incoming + "/" + BodyFolder.hex(UInt64(bitPattern: id), digits: 16)
    let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreFailure(path: path, code: errno) }
    return UnfinishedBody(path: path, descriptor: descriptor, id: id)
  }

  /// Makes a finished body findable under its id, its checksums behind it; if that fails, it is removed.
  ///
  /// Synced before it is renamed: a row that survives a power cut must not name a file whose bytes didn't. The folder isn't synced: a file
  /// that is missing afterwards is a miss.
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

  /// An open file; nil if it is missing, no file, hasn't `length` bytes and their checksums, or is small enough to be looked at whole and
  /// has been damaged.
  func open(_ id: Int64, length: Int64) -> FileBody? {
    // Neither a link nor a pipe without a writer: nothing but a file is ours, and opening must not wait.
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

  /// Removes what processes that were killed have left, in `incoming` and in some of the folders, chosen by `turn`.
  ///
  /// - Parameter isNamed: Which of the ids the database names.
  func sweep(turn: Int, now: Date, isNamed: ([Int64]) -> Set<Int64>) {
    for (path, _) in old(incoming, now, BodyFolder.orphanAge) { unlink(path) }
    for step in 0..<BodyFolder.foldersSwept {
      let number = (turn &* BodyFolder.foldersSwept &+ step) & (BodyFolder.folderCount - 1)
      sweep(number, now, olderThan: BodyFolder.orphanAge, isNamed)
    }
  }

  /// Removes what a database that was given up has left: everything that no row names, unless it may be named in a moment.
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

/// A file that takes a body. Its owner sees to it that one thread at a time uses it.
struct UnfinishedBody: Sendable {
  let path: String
  let descriptor: Int32
  private var checksums: BodyChecksums

  init(path: String, descriptor: Int32, id: Int64) {
    self.path = path
    self.descriptor = descriptor
    checksums = BodyChecksums(id: id)
  }

  /// Appends whole blocks (`BodyChecksums.blockSize`), or the last bytes. If it throws, the file has any part of it.
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
