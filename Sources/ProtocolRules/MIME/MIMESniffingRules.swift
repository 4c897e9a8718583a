import LoadingModel

/// Finds the MIME type of a response that doesn't state one in its first bytes: a part of the WHATWG MIME Sniffing standard.
package enum MIMESniffingRules {
  /// The most bytes that can decide the type. Fewer are enough if the body ends or pauses before.
  package static let prefixLength = 512

  /// Whether the type has to be found in the body, so that its first bytes must be waited for.
  ///
  /// Only a missing `Content-Type` calls for sniffing: as Apple documents, "application/octet-stream" is taken at its word. A guess against the
  /// stated type could turn a harmless upload into a script.
  package static func isNeeded(contentType: String?) -> Bool { contentType?.trimmingSpaces().isEmpty ?? true }

  /// The type of a body that starts with `prefix`, lower case. Looks at `prefixLength` bytes at most.
  ///
  /// Text without a known beginning is "text/plain", also JSON, which the standard doesn't guess. An empty body, and one with bytes that don't
  /// occur in text, is "application/octet-stream".
  package static func mimeType(prefix: some Collection<UInt8>) -> String {
    let bytes = Array(prefix.prefix(prefixLength))
    guard !bytes.isEmpty else { return unknown }
    for (signature, type) in signatures where bytes.starts(with: signature) { return type }
    if bytes.count >= 12, bytes.starts(with: "RIFF".utf8), bytes[8...].starts(with: "WEBP".utf8) { return "image/webp" }
    let text = bytes.drop { isSpace($0) }
    if text.starts(with: "<?xml".utf8) { return "text/xml" }
    if htmlStarts.contains(where: { starts(text, withTag: $0) }) { return "text/html" }
    return bytes.contains(where: isBinary) ? unknown : "text/plain"
  }

  private static let unknown = "application/octet-stream"

  private static let signatures: [([UInt8], String)] = [
    ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png"),
    (Array("GIF87a".utf8), "image/gif"),
    (Array("GIF89a".utf8), "image/gif"),
    ([0xFF, 0xD8, 0xFF], "image/jpeg"),
    (Array("%PDF-".utf8), "application/pdf"),
    (Array("%!PS-Adobe-".utf8), "application/postscript"),
    ([0x1F, 0x8B, 0x08], "application/x-gzip"),
    ([0x50, 0x4B, 0x03, 0x04], "application/zip"),
    // Byte order marks: UTF-16 in both orders, UTF-8.
    ([0xFE, 0xFF], "text/plain"),
    ([0xFF, 0xFE], "text/plain"),
    ([0xEF, 0xBB, 0xBF], "text/plain"),
  ]

  private static let htmlStarts: [[UInt8]] = [
    "<!doctype html", "<html", "<head", "<script", "<iframe", "<h1", "<div", "<font", "<table", "<a", "<style", "<title", "<b", "<body",
    "<br", "<p", "<!--",
  ].map { Array($0.utf8) }

  /// Whether `text` begins with `tag`, compared case-insensitively. After a tag's name a space or ">" must follow, or "<b" would match every
  /// "<banana>"; after "<!--" anything may.
  private static func starts(_ text: ArraySlice<UInt8>, withTag tag: [UInt8]) -> Bool {
    guard text.count >= tag.count, zip(text, tag).allSatisfy({ $0.lowercasedASCII == $1 }) else { return false }
    if tag.last == UInt8(ascii: "-") { return true }
    guard let end = text.dropFirst(tag.count).first else { return false }
    return end == 0x20 || end == UInt8(ascii: ">")
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0C || byte == 0x0D }

  /// The standard's "binary data byte": a control that doesn't occur in text.
  private static func isBinary(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x00...0x08, 0x0B, 0x0E...0x1A, 0x1C...0x1F: true
    default: false
    }
  }
}
