import BackgroundTransfers
import Foundation
import LoadingEngine

/// The daemon's own files of transfers, all in one folder; beside it, `running` holds the machine's run in which a daemon runs, or was ended
/// by force.
///
///     CFNetworkDownload_….tmp   a download under way, made by the loading engine
///     body-<transfer>           the response of an upload under way
///     arrived-<transfer>-<boot> complete, but perhaps not on the disk yet: worth nothing after the machine has stopped
///     finished-<transfer>       complete and on the disk; an event names it, or is about to
struct TransferFiles: Sendable {
  enum Kind: Equatable {
    case partial
    case body(Int64)
    case arrived(Int64, isOfThisBoot: Bool)
    case finished(Int64)
    case foreign
  }

  let folder: URL
  /// Tells the machine's present run from others.
  private let boot: String

  init(folder: URL) {
    self.folder = folder
    let text = (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)) ?? ""
    let digits = text.filter(\.isHexDigit)
    // Without one, files of an earlier process count as lost.
    boot = digits.isEmpty ? String(UInt64.random(in: .min ... .max), radix: 16) : digits
  }

  /// Says that a daemon runs, or was ended by force, in this run of the machine or another.
  private var marker: String {
    folder.deletingLastPathComponent().appending(path: "running", directoryHint: .notDirectory).path(percentEncoded: false)
  }

  /// Whether the machine has stopped while a daemon ran: parts of downloads, which aren't synchronized, may have holes then. From now on
  /// this daemon runs.
  func machineHasStopped() -> Bool {
    let url = URL(filePath: marker, directoryHint: .notDirectory)
    let earlier = try? String(contentsOf: url, encoding: .utf8)
    try? Data(boot.utf8).write(to: url)
    return earlier.map { $0 != boot } ?? false
  }

  /// The daemon ends, and so have its downloads; what they wrote is brought to the disk.
  func endsInOrder() {
    for name in names where kind(name) == .partial {
      let descriptor = open(path(name), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
      guard descriptor >= 0 else { continue }
      fsync(descriptor)
      close(descriptor)
    }
    unlink(marker)
  }

  func body(_ transfer: Int64) -> String { path("body-\(transfer)") }

  func arrived(_ transfer: Int64) -> String { path("arrived-\(transfer)-\(boot)") }

  func finished(_ transfer: Int64) -> String { path("finished-\(transfer)") }

  func path(_ name: String) -> String { folder.appending(path: name, directoryHint: .notDirectory).path(percentEncoded: false) }

  func kind(_ name: String) -> Kind {
    if name.hasPrefix(DownloadFile.namePrefix) { return .partial }
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count >= 2, let transfer = Int64(parts[1]) else { return .foreign }
    switch (parts[0], parts.count) {
    case ("body", 2): return .body(transfer)
    case ("arrived", 3): return .arrived(transfer, isOfThisBoot: parts[2] == boot)
    case ("finished", 2): return .finished(transfer)
    default: return .foreign
    }
  }

  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? [] }

  /// Removes a file that an event named. Nothing outside of the folder is touched.
  func remove(_ path: String) {
    let url = URL(filePath: path, directoryHint: .notDirectory)
    guard url.deletingLastPathComponent().path(percentEncoded: false) == folderPath else { return }
    unlink(path)
  }

  private var folderPath: String {
    let path = folder.path(percentEncoded: false)
    return path.hasSuffix("/") ? path : path + "/"
  }

  /// Whether a file was written last more than so many seconds ago.
  /// - Parameter now: By the wall clock, as the times of files are.
  func isOlder(_ name: String, than seconds: Double, now: Date) -> Bool {
    var facts = stat()
    guard lstat(path(name), &facts) == 0 else { return false }
    guard ClockReading.isPlausible(Date(timeIntervalSince1970: Double(facts.st_mtim.tv_sec))) else {
      // It was written while the machine's clock wasn't set: its time begins now.
      utimensat(AT_FDCWD, path(name), nil, AT_SYMLINK_NOFOLLOW)
      return false
    }
    return now.timeIntervalSince1970 - Double(facts.st_mtim.tv_sec) > seconds
  }

  /// Bytes of a file; nil if it isn't there.
  static func size(_ path: String) -> Int64? {
    var facts = stat()
    return lstat(path, &facts) == 0 ? Int64(facts.st_size) : nil
  }

  /// Writes the bytes of files to the disk, then gives each its final name. May take long.
  /// - Parameter files: Their names in one folder: what they are now, and what they become.
  /// - Returns: 0 for each, or the error's number.
  static func settle(_ files: [(path: String, final: String)]) -> [Int32] {
    let codes = files.map { $0.path == $0.final ? 0 : settle($0.path, as: $0.final) }
    if let file = zip(files, codes).first(where: { $0.path != $0.final && $1 == 0 })?.0 { synchronizeFolder(of: file.final) }
    return codes
  }

  private static func settle(_ path: String, as final: String) -> Int32 {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0, rename(path, final) == 0 else { return errno }
    return 0
  }

  /// A rename is durable once its folder is.
  static func synchronizeFolder(of path: String) {
    let folder = URL(filePath: path, directoryHint: .notDirectory).deletingLastPathComponent().path(percentEncoded: false)
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
