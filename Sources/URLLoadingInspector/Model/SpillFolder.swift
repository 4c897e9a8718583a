#if Inspector
  import Foundation
  import LoadingModel

  /// A private folder for bodies that are too large for memory: made when the first one comes, and removed at the end. Thread-safe.
  final class SpillFolder: Sendable {
    private struct State {
      var path: String?
      var count = 0
      var bytes = 0
    }

    /// Bytes of all files together.
    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) {
      self.limit = limit
      // Before a handler that writes a recording at the exit can be registered: these run in the opposite order (atexit(3)).
      SpillFolder.removesAtExit
    }

    deinit {
      guard let path = state.withLock({ $0.path }) else { return }
      SpillFolder.left.withLock { _ = $0.remove(path) }
      rmdir(path)
    }

    /// Folders that the process has made and not removed: recorders that live until its end leave theirs to it.
    private static let left = Mutex<Set<String>>([])
    private static let removesAtExit: Void = {
      atexit {
        for path in SpillFolder.left.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
      }
    }()

    /// nil where the file can't be written, or it would be too much.
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

    /// Where the files are; nil before the first.
    var path: String? { state.withLock { $0.path } }

    fileprivate func giveBack(_ count: Int) { state.withLock { $0.bytes -= count } }

    /// mkdtemp(3) gives the folder the mode 0700.
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

  /// A body's file; removed with the last value that refers to it.
  final class SpillFile: Sendable {
    let count: Int
    private let path: String
    private let folder: SpillFolder

    fileprivate init(_ path: String, count: Int, of folder: SpillFolder) { (self.path, self.count, self.folder) = (path, count, folder) }

    deinit {
      unlink(path)
      folder.giveBack(count)
    }

    /// nil where the file can't be read any more.
    var data: Data? { try? Data(contentsOf: URL(filePath: path)) }
  }
#endif
