import Foundation

/// Reads files that options name. Pipes, such as the shell's <(…), and devices are read to their end like regular files.
enum NamedContent {
  private static let pieceSize = 64 * 1024

  /// The whole content of the file at `path`, or of standard input for "-"; nil if it can't be read.
  static func read(_ path: String) -> Data? {
    // An end of input without any bytes is an empty content, not a failure.
    try? (path == "-" ? load(STDIN_FILENO) : load(path))
  }

  /// The whole content of the file at `path`, even if that is "-"; nil if it can't be read.
  static func ofFile(_ path: String) -> Data? { try? load(path) }

  /// The whole content of the file at `path`.
  /// - Throws: `errno` if it can't be read.
  static func load(_ path: String) throws(Descriptor.Failure) -> Data {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Descriptor.Failure(code: errno) }
    defer { close(descriptor) }
    return try load(descriptor)
  }

  /// Everything that can be read from a descriptor until its end.
  /// - Throws: `errno` if it can't be read.
  static func load(_ descriptor: Int32) throws(Descriptor.Failure) -> Data {
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: NamedContent.pieceSize)
    while true {
      let count = Foundation.read(descriptor, &buffer, buffer.count)
      if count == 0 { return data }
      if count > 0 { data.append(contentsOf: buffer[..<count]) } else if errno != EINTR { throw Descriptor.Failure(code: errno) }
    }
  }
}
