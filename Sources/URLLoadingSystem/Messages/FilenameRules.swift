import LoadingModel
import Foundation

/// Which file name to suggest for a response's body: always a single path component, whatever the server sent.
enum FilenameRules {
  /// Bytes that a file name may have in common file systems.
  private static let longest = 255

  /// Content-Disposition's name, else the URL's last path component, else its host, else "unknown", as Apple documents;
  /// with an extension for the MIME type where the name has none.
  static func suggestedName(disposition: String?, url: URL?, mimeType: String?) -> String {
    let named = disposition.flatMap { ContentDisposition($0).filename }.flatMap(safeComponent) ?? lastComponent(of: url)
    let derived = mimeType.flatMap { FileExtensions.preferred(forMIMEType: $0) }
    if let named {
      let hasExtension = !(named as NSString).pathExtension.isEmpty
      return fitting(named, adding: hasExtension ? nil : derived)
    }
    // The dots of a host name begin no extension.
    return fitting(url?.host().flatMap(safeComponent) ?? "unknown", adding: derived)
  }

  private static func lastComponent(of url: URL?) -> String? {
    // The path of a `data:` URL is its data, not a name.
    guard let url, url.scheme?.lowercased() != "data", url.lastPathComponent != "/" else { return nil }
    return safeComponent(url.lastPathComponent)
  }

  /// The name with path separators, control characters and a leading dot replaced, so that it can't leave its directory, be hidden or show a false
  /// extension; nil if it consists of dots and spaces alone.
  private static func safeComponent(_ name: String) -> String? {
    let trimmed = name.trimmingCharacters(in: .whitespacesAndNewlines)
    guard trimmed.contains(where: { $0 != "." }) else { return nil }
    var result = String.UnicodeScalarView()
    for scalar in trimmed.unicodeScalars {
      let isHiding = result.isEmpty && scalar == "."
      result.append(isHiding || isUnsafe(scalar) ? "_" : scalar)
    }
    return String(result)
  }

  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    // Direction marks can make "gpj.exe" look like "exe.jpg".
    case .format: scalar.properties.isBidiControl
    default: scalar == "/" || scalar == "\\"
    }
  }

  /// The name with the extension added; the part before the extension is shortened so that it fits into `longest` bytes.
  private static func fitting(_ name: String, adding fileExtension: String?) -> String {
    let full = fileExtension.map { name + "." + $0 } ?? name
    guard full.utf8.count > longest else { return full }
    let suffix = (full as NSString).pathExtension
    let keepsSuffix = !suffix.isEmpty && suffix.utf8.count <= 32
    let room = longest - (keepsSuffix ? suffix.utf8.count + 1 : 0)
    var stem = ""
    var used = 0
    for character in keepsSuffix ? String(full.dropLast(suffix.count + 1)) : full {
      used += character.utf8.count
      if used > room { break }
      stem.append(character)
    }
    return keepsSuffix ? stem + "." + suffix : stem
  }
}
