import Foundation

/// The digests in a file such as SHA256SUMS: in the format of GNU coreutils, or with BSD's tags.
struct ChecksumFile: Sendable {
  private var checksums: [String: Checksum] = [:]

  /// - Parameter path: The file; `-` for standard input.
  /// - Throws: If the file can't be read, or has no digests.
  init(_ path: String) throws(ToolFailure) {
    let content = NamedContent.read(path)
    guard let content else { throw ToolFailure(.readFailed, "\(path) can't be read; check the name behind --checksum-file") }
    self.init(text: String(decoding: content, as: UTF8.self))
    guard !checksums.isEmpty else {
      throw ToolFailure(.readFailed, "\(path) has no digests; each line has one and the name of its file, as sha256sum writes them")
    }
  }

  init(text: String) {
    for line in text.split(whereSeparator: \.isNewline) {
      guard let (name, checksum) = ChecksumFile.entry(String(line)) else { continue }
      // If there are several digests of one file, the longest is used.
      if let known = checksums[name], known.digest.count >= checksum.digest.count { continue }
      checksums[name] = checksum
    }
  }

  /// The digest of a file. Tries the names in order: each must be in the list as it is, or after a folder.
  func checksum(_ names: [String]) -> Checksum? {
    for name in names where !name.isEmpty {
      if let known = checksums[name] { return known }
      let below = checksums.filter { $0.key.hasSuffix("/\(name)") }
      // Files of the same name in several folders only count if their digests are equal.
      if let known = below.first?.value, below.allSatisfy({ $0.value == known }) { return known }
    }
    return nil
  }

  private static func entry(_ line: String) -> (name: String, checksum: Checksum)? {
    // In the format of coreutils, a backslash at the beginning of the line says that the name has escapes.
    let isEscaped = line.hasPrefix("\\")
    let line = isEscaped ? String(line.dropFirst()) : line
    guard let (name, checksum) = tagged(line) ?? plain(line) else { return nil }
    return (isEscaped ? unescaped(name) : name, checksum)
  }

  /// Parses "DIGEST  NAME", or "DIGEST *NAME" for a binary file.
  private static func plain(_ line: String) -> (String, Checksum)? {
    let digest = line.prefix { $0 != " " }
    let rest = line.dropFirst(digest.count + 1)
    guard let mark = rest.first, mark == " " || mark == "*", rest.count > 1,
      let algorithm = Checksum.Algorithm.allCases.first(where: { $0.length * 2 == digest.utf8.count }),
      let checksum = Checksum("\(algorithm.rawValue):\(digest)")
    else { return nil }
    return (String(rest.dropFirst()), checksum)
  }

  /// Parses "SHA256 (NAME) = DIGEST".
  private static func tagged(_ line: String) -> (String, Checksum)? {
    guard let open = line.range(of: " ("), let close = line.range(of: ") = ", options: .backwards), open.upperBound < close.lowerBound,
      let checksum = Checksum("\(line[..<open.lowerBound]):\(line[close.upperBound...].trimmingCharacters(in: .whitespaces))")
    else { return nil }
    return (String(line[open.upperBound..<close.lowerBound]), checksum)
  }

  private static func unescaped(_ name: String) -> String {
    var (result, isEscaped) = ("", false)
    for character in name {
      if isEscaped {
        result.append(character == "n" ? "\n" : character == "r" ? "\r" : character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        result.append(character)
      }
    }
    return result
  }
}
