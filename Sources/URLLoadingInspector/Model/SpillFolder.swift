#if Inspector
  import Foundation
  import LoadingModel

  /// A private folder for bodies that are too large for memory. Created for the first file, and removed with the recorder or at the process's exit.
  /// Thread-safe.
  final class SpillFolder: Sendable {
    private struct State {
      var path: String?
      var count = 0
      var bytes = 0
    }

    /// The most bytes that all files may have together.
    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) {
      self.limit = limit
      // The removal is registered before any handler that writes a recording at exit: handlers run in reverse order (atexit(3)), so the recording is
      // written before the files are removed.
      SpillFolder.removesAtExit
    }

    deinit {
      guard let path = state.withLock({ $0.path }) else { return }
      SpillFolder.left.withLock { _ = $0.remove(path) }
      rmdir(path)
    }

    /// The folders of recorders that still exist, which the exit handler removes.
    private static let left = Mutex<Set<String>>([])
    private static let removesAtExit: Void = {
      atexit {
        for path in SpillFolder.left.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
      }
    }()

    /// Writes `data` to a new file; nil if it can't be written or the folder's limit would be exceeded.
    func write(_ data: Data) -> SpillFile? {
      let path: String? = state.withLock { state in
        guard state.bytes + data.count <= limit, let folder = state.path ?? SpillFolder.make() else { return nil }
        state.path = folder
        state.count += 1
        state.bytes += data.count
        return "\(folder)/\(state.count)"
      }
      guard let path else { return nil }
      guard SpillFolder.write(data, to: path) else {
        giveBack(data.count)
        return nil
      }
      return SpillFile(path, count: data.count, of: self)
    }

    /// The folder's path; nil before the first file is written.
    var path: String? { state.withLock { $0.path } }

    fileprivate func giveBack(_ count: Int) { state.withLock { $0.bytes -= count } }

    /// Creates the folder with the mode 0700, by mkdtemp(3), and registers it for removal at exit. Nil if that fails.
    private static func make() -> String? {
      let folder = FileManager.default.temporaryDirectory.appending(path: "url-loading-inspector-XXXXXX").path
      var name = Array(folder.utf8CString)
      let made = name.withUnsafeMutableBufferPointer { $0.baseAddress.flatMap(mkdtemp).map { String(cString: $0) } }
      guard let made else { return nil }
      left.withLock { _ = $0.insert(made) }
      return made
    }

    private static func write(_ data: Data, to path: String) -> Bool {
      let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard file >= 0 else { return false }
      defer { close(file) }
      let isWritten = data.withUnsafeBytes { bytes in
        var rest = bytes[...]
        while !rest.isEmpty {
          let count = rest.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
          guard count > 0 else { return false }
          rest = rest.dropFirst(count)
        }
        return true
      }
      if !isWritten { unlink(path) }
      return isWritten
    }
  }

  /// The file with a body's bytes. It is removed when the last value that refers to it is released.
  final class SpillFile: Sendable {
    let count: Int
    private let path: String
    private let folder: SpillFolder

    fileprivate init(_ path: String, count: Int, of folder: SpillFolder) { (self.path, self.count, self.folder) = (path, count, folder) }

    deinit {
      unlink(path)
      folder.giveBack(count)
    }

    /// The bytes of the file; nil if it can't be read any more.
    var data: Data? { try? Data(contentsOf: URL(filePath: path)) }
  }
#endif
