import LoadingModel
import Foundation

/// Which name to suggest for keeping a response's body: always one plain path component, whatever the server sent.
enum FilenameRules {
  /// Bytes a file name may have on the usual file systems.
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
    // The path of a data: URL is the data.
    guard let url, url.scheme?.lowercased() != "data", url.lastPathComponent != "/" else { return nil }
    return safeComponent(url.lastPathComponent)
  }

  /// The name without anything that could leave its directory, hide the file or disguise its extension; nil if nothing usable is left.
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

  /// The name with its extension, the stem cut so that both fit into `longest` bytes.
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
