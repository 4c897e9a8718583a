import Foundation

/// Errors for local files that can't be read, by Apple's codes: NSURLErrorFileDoesNotExist, NSURLErrorNoPermissionsToReadFile,
/// NSURLErrorFileIsDirectory, NSURLErrorCannotOpenFile.
package enum FileRefusal {
  /// The error for an errno with which a file couldn't be opened.
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
