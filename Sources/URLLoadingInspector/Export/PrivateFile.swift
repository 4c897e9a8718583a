#if Inspector
  import Foundation

  /// Writes files that only the user can read, because recordings may contain secrets that no redaction rule has found.
  package enum PrivateFile {
    package static func write(_ data: Data, to file: URL) throws {
      let path = file.path
      // An existing file keeps its mode, and a name such as /dev/stdout its target.
      if !FileManager.default.fileExists(atPath: path) {
        let made = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if made >= 0 { close(made) }
      }
      let handle = try FileHandle(forWritingTo: file)
      defer { try? handle.close() }
      // Ignores the error for devices and pipes, which can't be truncated.
      try? handle.truncate(atOffset: 0)
      try handle.write(contentsOf: data)
    }
  }
#endif
