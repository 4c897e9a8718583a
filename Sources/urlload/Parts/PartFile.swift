import Foundation

/// An unfinished file that outlives the process: `NAME.part`, with what is known of it in `NAME.part.json`. Or the file itself, where a part
/// of it was left under its own name: it isn't changed before its bytes have been compared.
///
/// A value around a descriptor that `Output` or `SegmentedTransfer` owns. Locked against other processes while it is open.
struct PartFile: Sendable {
  let descriptor: Int32
  /// The name it is to have.
  let path: String
  /// Bytes that were there when it was opened.
  let length: Int64
  /// What is known of them.
  let record: PartRecord?
  private let target: String
  /// Whether it was opened under its final name.
  let isUnderItsOwnName: Bool

  /// The part's name.
  var partPath: String { target + ".part" }
  private var recordPath: String { partPath + ".json" }

  /// What counts as a part that is there.
  enum Adoption: Sendable {
    /// A file of the part's name, or one that was left under its own.
    case ownName
    case partOnly
  }

  /// Opens what there is, or makes a new one.
  /// - Throws: If it can't be written, or another process is writing it.
  init(for path: String, url: URLIdentity, adopts adoption: Adoption = .ownName) throws(ToolFailure) {
    var status = stat()
    let exists = stat(path, &status) == 0
    if exists, status.st_mode & S_IFMT != S_IFREG { throw WriteFailure.failure(path, status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL) }
    if exists { try FileTarget.demandWritable(path) }
    target = FileTarget.followed(path)
    self.path = path
    let part = target + ".part"
    isUnderItsOwnName = adoption == .ownName && exists && access(part, F_OK) != 0
    descriptor = open(isUnderItsOwnName ? target : part, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw WriteFailure.failure(path, errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw ToolFailure(.writeFailed, "\(path) is being loaded by another urlload; wait for it, or choose another name with -o")
    }
    length = fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
    let known = isUnderItsOwnName ? nil : PartRecord.load(part + ".json")
    // What is known is known of one URL.
    record = known.flatMap { url.matches(masked: $0.url, key: $0.key) ? $0 : nil }
  }

  /// What is there of the body.
  var part: ReceivedPart { ReceivedPart(length: length, validator: record?.validator, total: record?.total) }

  /// Writes what is known of the file.
  func save(_ record: PartRecord) throws(ToolFailure) { try record.save(recordPath) }

  /// A file that was under its own name becomes the part that it is.
  func becomePart() throws(ToolFailure) {
    guard rename(target, partPath) == 0 else { throw WriteFailure.failure(path, errno) }
  }

  /// Closes the file and gives it its name.
  func commit(isPart: Bool) throws(ToolFailure) {
    if isPart {
      guard rename(partPath, target) == 0 else { throw WriteFailure.failure(path, errno) }
      unlink(recordPath)
    }
    // Delayed errors, such as those of a quota or a network file system, come with the closing.
    guard close(descriptor) == 0 else { throw WriteFailure.failure(path, errno) }
  }

  /// Closes the file and puts it aside under `name`.
  func setAside(as name: String, isPart: Bool) {
    rename(isPart ? partPath : target, name)
    if isPart { unlink(recordPath) }
    close(descriptor)
  }

  /// Gives the part another name, under which it is kept.
  func moveAside(to name: String) -> Bool {
    guard rename(partPath, name) == 0 else { return false }
    unlink(recordPath)
    return true
  }

  /// Whether there is a file of the name, and no part of it beside it.
  static func isWithoutPart(_ path: String) -> Bool {
    access(path, F_OK) == 0 && access(FileTarget.followed(path) + ".part", F_OK) != 0
  }

  /// Whether a file that is left at `path` is loaded in several ranges.
  static func isSegmented(_ path: String) -> Bool {
    PartRecord.load(FileTarget.followed(path) + ".part.json")?.segments != nil
  }

  /// Closes the file; it is kept unless nothing is in it.
  func leave() {
    var status = stat()
    if !isUnderItsOwnName, fstat(descriptor, &status) == 0, status.st_size == 0 {
      unlink(partPath)
      unlink(recordPath)
    }
    close(descriptor)
  }
}
