import LoadingModel

/// The folders that an `ftp:` URL changes into one after another, and the file or listing it then asks for (RFC 1738, 3.2.2).
package struct FTPResource: Sendable, Equatable {
  /// What the URL's path ends with: a file, or a folder to list.
  package enum Item: Sendable, Equatable {
    case file([UInt8])
    /// A listing of the folder; `namesOnly` with `;type=d`, by the command NLST.
    case listing(namesOnly: Bool)
  }

  /// How the file is sent (RFC 959, 3.1.1).
  package enum Representation: Sendable, Equatable {
    case image
    case text
  }

  /// The folders' names as the bytes to send: they needn't be UTF-8.
  package let folders: [[UInt8]]
  package let item: Item
  package let representation: Representation

  /// The most folders in one path: each of them costs a command.
  private static let folderLimit = 128

  /// - Parameter path: The URL's path and query, still percent-encoded: "?" means nothing in an FTP URL.
  /// - Throws: `badURL` for a path that can't be sent in FTP's commands.
  package init(path: String) throws(LoadError) {
    var rest = path.utf8[...]
    var type: UInt8?
    if let parameter = FTPResource.typeParameter(rest) {
      type = parameter.type
      rest = rest[..<parameter.start]
    }
    if rest.first == UInt8(ascii: "/") { rest = rest.dropFirst() }
    var parts: [[UInt8]] = []
    for part in rest.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) { parts.append(try FTPResource.decoded(part)) }
    let last = parts.popLast() ?? []
    // "ftp://host//etc" and "ftp://host/%2Fetc" both begin at the root; other empty names are ignored.
    var folders = parts.enumerated().compactMap { index, part in part.isEmpty ? (index == 0 ? [UInt8(ascii: "/")] : nil) : part }
    guard folders.count <= FTPResource.folderLimit else {
      throw LoadError(.badURL, .admission, "the path has more than \(FTPResource.folderLimit) folders")
    }
    if type == UInt8(ascii: "d") {
      if !last.isEmpty { folders.append(last) }
      item = .listing(namesOnly: true)
    } else {
      item = last.isEmpty ? .listing(namesOnly: false) : .file(last)
    }
    self.folders = folders
    if case .listing = item { representation = .text } else { representation = type == UInt8(ascii: "a") ? .text : .image }
  }

  /// Whether a folder or the file has a name with characters outside ASCII.
  package var hasForeignNames: Bool {
    var names = folders
    if case .file(let name) = item { names.append(name) }
    return names.contains { $0.contains { $0 >= 0x80 } }
  }

  private static func typeParameter(_ path: Substring.UTF8View) -> (start: Substring.UTF8View.Index, type: UInt8)? {
    guard let start = path.lastIndex(of: UInt8(ascii: ";")) else { return nil }
    let text = Array(path[start...]).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    guard text.count == 7, text.starts(with: ";type=".utf8), let type = text.last, "aid".utf8.contains(type) else { return nil }
    return (start, type)
  }

  private static func decoded(_ part: Substring.UTF8View) throws(LoadError) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = part[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(HexDigit.value), let low = rest.popFirst().flatMap(HexDigit.value) else {
        throw LoadError(.badURL, .admission, "the path has a percent sign that no two hexadecimal digits follow")
      }
      bytes.append(high << 4 | low)
    }
    guard FTPCommand.isArgument(bytes) else {
      throw LoadError(.badURL, .admission, "a path for FTP may not contain line breaks or null characters")
    }
    return bytes
  }
}
