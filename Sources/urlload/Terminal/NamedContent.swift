import Foundation

/// What a file that an option names contains, of any kind: a pipe, such as the shell's <(…), and a device are read to their end like a file.
enum NamedContent {
  private static let pieceSize = 64 * 1024

  /// Everything in the file at `path`, or in standard input for "-"; nil if it can't be read.
  static func read(_ path: String) -> Data? {
    // Nothing before the end is an empty content.
    try? (path == "-" ? load(STDIN_FILENO) : load(path))
  }

  /// As `read`, where "-" is the name of a file.
  static func ofFile(_ path: String) -> Data? { try? load(path) }

  /// Everything in the file at `path`.
  /// - Throws: The system's error number, if it can't be read.
  static func load(_ path: String) throws(Descriptor.Failure) -> Data {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Descriptor.Failure(code: errno) }
    defer { close(descriptor) }
    return try load(descriptor)
  }

  /// What comes from a descriptor until its end.
  /// - Throws: The system's error number, if it can't be read.
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
