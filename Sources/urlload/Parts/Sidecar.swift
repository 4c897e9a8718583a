import Foundation

/// A small JSON file beside another file, with a record about it.
enum Sidecar {
  private static let longest = 1_000_000

  /// Reads the record; nil if there is none that can be read.
  static func load<Content: Decodable>(_ type: Content.Type, _ path: String) -> Content? {
    guard let data = try? Data(contentsOf: URL(filePath: path)), data.count < longest else { return nil }
    return try? JSONDecoder().decode(type, from: data)
  }

  /// Writes the record atomically: there is always either the old or the new one. Only the user can read it.
  static func save(_ content: some Encodable, _ path: String) throws(ToolFailure) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let data = (try? encoder.encode(content)) ?? Data()
    let draft = path + "~"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw WriteFailure.failure(path, errno) }
    var code = Descriptor.writeAll(data, to: descriptor)
    if close(descriptor) != 0 { code = code ?? errno }
    if code == nil, rename(draft, path) != 0 { code = errno }
    guard let code else { return }
    unlink(draft)
    throw WriteFailure.failure(path, code)
  }
}
