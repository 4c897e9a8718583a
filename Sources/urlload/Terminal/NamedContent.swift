import Foundation

/// What a file that an option names contains.
enum NamedContent {
  /// Everything in the file at `path`, or in standard input for "-"; nil if it can't be read.
  static func read(_ path: String) -> Data? {
    guard path == "-" else { return FileManager.default.contents(atPath: path) }
    // Nothing before the end is an empty content.
    do { return try FileHandle.standardInput.readToEnd() ?? Data() } catch { return nil }
  }
}
