import Foundation

/// An incomplete file that is kept for later runs: `NAME.part`, with its record in `NAME.part.json`. It may also be a file under its final name,
/// which isn't changed before its bytes have been compared with the server's.
///
/// A value around a descriptor that `Output` or `SegmentedTransfer` owns. Locked against other processes while it is open.
struct PartFile: Sendable {
  let descriptor: Int32
  /// The file's final path.
  let path: String
  /// Bytes in the file when it was opened.
  let length: Int64
  /// The record of the part; nil if there is none for this URL.
  let record: PartRecord?
  private let target: String
  private let existing: ExistingFile
  /// Whether the file was opened under its final name, and not as a part.
  let isUnderItsOwnName: Bool

  /// Path of the part file.
  var partPath: String { target + ".part" }
  private var recordPath: String { partPath + ".json" }

  /// Which existing files count as a part.
  enum Adoption: Sendable {
    /// `NAME.part`, or a file under the final name.
    case ownName
    case partOnly
  }

  /// Opens the existing part, or makes a new one.
  /// - Parameter existing: What becomes of a file under the final name that isn't the part.
  /// - Throws: If it can't be written, another process is writing it, or there is a file that must not be replaced.
  init(
    for path: String, url: URLIdentity, adopts adoption: Adoption = .ownName, _ existing: ExistingFile = .replaced
  ) throws(ToolFailure) {
    var status = stat()
    let exists = stat(path, &status) == 0
    if exists, status.st_mode & S_IFMT != S_IFREG { throw WriteFailure.failure(path, status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL) }
    target = FileTarget.followed(path)
    self.path = path
    self.existing = existing
    let part = target + ".part"
    isUnderItsOwnName = adoption == .ownName && exists && access(part, F_OK) != 0
    if exists, !isUnderItsOwnName, existing == .refused { throw WriteFailure.exists(path) }
    if exists, isUnderItsOwnName || existing == .replaced { try FileTarget.demandWritable(path) }
    descriptor = open(isUnderItsOwnName ? target : part, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw WriteFailure.failure(path, errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw ToolFailure(.writeFailed, "\(path) is being loaded by another urlload; wait for it, or choose another name with -o")
    }
    if exists, !isUnderItsOwnName, existing == .replaced { FileTarget.adopt(status, descriptor) }
    length = fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
    let known = isUnderItsOwnName ? nil : PartRecord.load(part + ".json")
    // A record of another URL is ignored.
    record = known.flatMap { url.matches(masked: $0.url, key: $0.key) ? $0 : nil }
  }

  /// The existing part of the body.
  var part: ReceivedPart { ReceivedPart(length: length, validator: record?.validator, total: record?.total) }

  /// Writes the part's record.
  func save(_ record: PartRecord) throws(ToolFailure) { try record.save(recordPath) }

  /// Renames a file that was opened under its final name to its part's name.
  func becomePart() throws(ToolFailure) {
    guard rename(target, partPath) == 0 else { throw WriteFailure.failure(path, errno) }
  }

  /// Closes the file, and renames it to its final path if it has the part's name.
  /// - Returns: The path that it has.
  func commit(isPart: Bool) throws(ToolFailure) -> String {
    var name = path
    if isPart {
      do throws(Descriptor.Failure) {
        let given = try existing.rename(partPath, to: target)
        if given != target { name = given }
      } catch {
        throw error.code == EEXIST ? WriteFailure.exists(path) : WriteFailure.failure(path, error.code)
      }
      unlink(recordPath)
    }
    // Errors of quotas and network file systems may be reported only when the file is closed.
    guard close(descriptor) == 0 else { throw WriteFailure.failure(path, errno) }
    return name
  }

  /// Closes the file and renames it to `name`.
  func setAside(as name: String, isPart: Bool) {
    rename(isPart ? partPath : target, name)
    if isPart { unlink(recordPath) }
    close(descriptor)
  }

  /// Renames the part to `name`, without closing it. Returns whether that was possible.
  func moveAside(to name: String) -> Bool {
    guard rename(partPath, name) == 0 else { return false }
    unlink(recordPath)
    return true
  }

  /// Whether a file exists at `path`, but no part of it.
  static func isWithoutPart(_ path: String) -> Bool {
    access(path, F_OK) == 0 && access(FileTarget.followed(path) + ".part", F_OK) != 0
  }

  /// Whether the part of the file at `path` is one that is loaded in segments.
  static func isSegmented(_ path: String) -> Bool {
    PartRecord.load(FileTarget.followed(path) + ".part.json")?.segments != nil
  }

  /// Closes the file. An empty part is removed.
  func leave() {
    var status = stat()
    if !isUnderItsOwnName, fstat(descriptor, &status) == 0, status.st_size == 0 {
      unlink(partPath)
      unlink(recordPath)
    }
    close(descriptor)
  }
}
