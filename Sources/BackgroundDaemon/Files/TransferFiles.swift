import BackgroundTransfers
import Foundation
import LoadingEngine
import LoadingModel

/// The daemon's own files of transfers, all in one folder. Beside the folder, the file `running` has the boot identifier of the daemon that runs, or
/// that was killed.
///
///     CFNetworkDownload_….tmp   a download under way, made by the loading engine
///     body-<transfer>           the response of an upload under way
///     arrived-<transfer>-<boot> complete, but perhaps not on the disk yet: not valid any more after a reboot
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
  /// The kernel's boot identifier, which differs after each reboot.
  private let boot: String

  init(folder: URL) {
    self.folder = folder
    // Without a boot identifier, files that another process has left count as incomplete.
    boot = (SystemFile.bootIdentifier ?? UUID().uuidString).filter(\.isHexDigit)
  }

  /// The file with the boot identifier: it exists while a daemon runs, and after one was killed.
  private var marker: String {
    folder.deletingLastPathComponent().appending(path: "running", directoryHint: .notDirectory).path(percentEncoded: false)
  }

  /// Whether the machine was restarted since a daemon ran that didn't end properly: incomplete downloads, which aren't synchronized, may have holes
  /// then. Also marks this daemon as the one that runs.
  func machineHasStopped() -> Bool {
    let url = URL(filePath: marker, directoryHint: .notDirectory)
    let earlier = try? String(contentsOf: url, encoding: .utf8)
    try? Data(boot.utf8).write(to: url)
    return earlier.map { $0 != boot } ?? false
  }

  /// Synchronizes incomplete downloads to the disk and removes the marker, because the daemon ends properly; no download may be running.
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

  /// Removes a file that an event named, if it lies in the daemon's folder; other paths are left alone.
  func remove(_ path: String) {
    let url = URL(filePath: path, directoryHint: .notDirectory)
    guard url.deletingLastPathComponent().path(percentEncoded: false) == folderPath else { return }
    unlink(path)
  }

  private var folderPath: String {
    let path = folder.path(percentEncoded: false)
    return path.hasSuffix("/") ? path : path + "/"
  }

  /// Whether the file was last modified more than `seconds` ago.
  /// - Parameter now: By the wall clock, as modification times are.
  func isOlder(_ name: String, than seconds: Double, now: Date) -> Bool {
    var facts = stat()
    guard lstat(path(name), &facts) == 0 else { return false }
    guard ClockReading.isPlausible(Date(timeIntervalSince1970: Double(facts.st_mtim.tv_sec))) else {
      // The file was written before the machine's clock was set: its modification time becomes now, so that its age counts from here.
      utimensat(AT_FDCWD, path(name), nil, AT_SYMLINK_NOFOLLOW)
      return false
    }
    return now.timeIntervalSince1970 - Double(facts.st_mtim.tv_sec) > seconds
  }

  /// Size of a file in bytes; nil if it doesn't exist.
  static func size(_ path: String) -> Int64? {
    var facts = stat()
    return lstat(path, &facts) == 0 ? Int64(facts.st_size) : nil
  }

  /// Synchronizes files to the disk, then gives each its final name. Blocks as long as the disk takes.
  /// - Parameter files: Present and final paths, all in one folder.
  /// - Returns: For each file 0, or the `errno` of the failure.
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

  /// Synchronizes the folder of `path`: only then is a rename in it durable.
  static func synchronizeFolder(of path: String) {
    let folder = URL(filePath: path, directoryHint: .notDirectory).deletingLastPathComponent().path(percentEncoded: false)
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
