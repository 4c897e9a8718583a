#if Inspector
  import Foundation

  /// Writes files that only the user can read: recordings may have in them what no rule has found.
  package enum PrivateFile {
    package static func write(_ data: Data, to file: URL) throws {
      let path = file.path
      // A file that is there keeps its name's target, such as /dev/stdout, and its mode.
      if !FileManager.default.fileExists(atPath: path) {
        let made = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if made >= 0 { close(made) }
      }
      let handle = try FileHandle(forWritingTo: file)
      defer { try? handle.close() }
      // Devices and pipes have no length.
      try? handle.truncate(atOffset: 0)
      try handle.write(contentsOf: data)
    }
  }
#endif
