import Foundation

/// Failures of writing files and standard output, with messages.
enum WriteFailure {
  static func failure(_ name: String, _ code: Int32) -> ToolFailure {
    // The reader of a pipe has closed it, as `head` does: that isn't reported as an error.
    if code == EPIPE { return ToolFailure(.writeFailed, "") }
    return ToolFailure(.writeFailed, "\(name) can't be written (\(SystemMessage.text(code))); \(remedy(code))")
  }

  static func exists(_ name: String) -> ToolFailure {
    ToolFailure(.writeFailed, "the server suggests the name \(name), but there is such a file; replace it with -o, or move it away")
  }

  /// Overwriting an existing file has failed midway, so that it may have parts of both contents.
  /// - Parameter kept: The file with the complete new content; nil if there is none.
  static func brokenOff(_ name: String, _ code: Int32, keptAs kept: String?) -> ToolFailure {
    ToolFailure(
      .writeFailed,
      "\(name) can't be written (\(SystemMessage.text(code))), and may have lost what it had; "
        + (kept.map { "all that was to be written is in \($0): move it where you want it" } ?? "load it again, to another place with -o"))
  }

  /// The message about a file that was being overwritten when a signal ended the process.
  /// - Parameter kept: The file with the complete new content; nil if there is none.
  static func interrupted(_ name: String, keptAs kept: String?) -> String {
    "\(name) may have a part alone of what was to be written; " + (kept.map { "all of it is in \($0)" } ?? "load it again")
  }

  private static func remedy(_ code: Int32) -> String {
    switch code {
    case ENOSPC, EDQUOT: "free some space, or choose another place"
    case ENOENT, ENOTDIR: "make the directory first, or choose another"
    case EISDIR: "name a file in it"
    case EACCES, EPERM, EROFS: "choose a place where you may write"
    default: "choose another place"
    }
  }
}
