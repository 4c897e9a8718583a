import Foundation

/// Why a local file can't be read: NSURLErrorFileDoesNotExist, NSURLErrorNoPermissionsToReadFile, NSURLErrorFileIsDirectory, NSURLErrorCannotOpenFile.
package enum FileRefusal {
  /// What an errno means for a file that couldn't be opened.
  package static func unopened(_ path: String, _ code: Int32, _ phase: LoadError.Phase) -> LoadError {
    switch code {
    case ENOENT, ENOTDIR: LoadError(.fileDoesNotExist, phase, "there is no file at \(path)", posixCode: code)
    case EACCES, EPERM: LoadError(.noPermissionsToReadFile, phase, "this process may not read \(path)", posixCode: code)
    default: LoadError(.cannotOpenFile, phase, "\(path) can't be opened (\(String(cString: strerror(code))))", posixCode: code)
    }
  }

  /// - Throws: `fileIsDirectory`, `cannotOpenFile`, if it isn't a regular file.
  package static func checkRegular(_ path: String, _ facts: stat, _ phase: LoadError.Phase) throws(LoadError) {
    switch facts.st_mode & S_IFMT {
    case S_IFREG: return
    case S_IFDIR: throw LoadError(.fileIsDirectory, phase, "\(path) is a directory; name a file in it")
    default: throw LoadError(.cannotOpenFile, phase, "\(path) is not a regular file")
    }
  }
}
