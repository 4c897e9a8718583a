import Foundation
import URLLoadingSystem

/// The name of the file that `-O` writes: a single path component, which stays in the current folder, and doesn't look like an option to other
/// commands.
struct RemoteName: Sendable, Equatable {
  let name: String
  /// Whether the URL that the user gave has exactly this name, so that the user has named the file.
  let isExact: Bool

  /// The last component of the URL's path; nil if there is none.
  init?(of url: URL?) {
    guard let url else { return nil }
    if url.lastPathComponent.isEmpty {
      guard let encoded = RemoteName.encoded(url) else { return nil }
      self = encoded
      return
    }
    guard url.lastPathComponent != "/" else { return nil }
    let plain = URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil).suggestedFilename
    name = RemoteName.harmless(plain ?? "unknown")
    isExact = name == url.lastPathComponent
  }

  /// The last component of a path as it is in the URL, because its percent-encoded bytes are no UTF-8; nil if there is none.
  private static func encoded(_ url: URL) -> RemoteName? {
    guard let last = url.path(percentEncoded: true).split(separator: "/").last else { return nil }
    let name = harmless(last.hasPrefix(".") ? "_" + last.dropFirst() : String(last))
    return RemoteName(name: name, isExact: name == last)
  }

  private init(name: String, isExact: Bool) { (self.name, self.isExact) = (name, isExact) }

  /// The name that the response suggests: of `Content-Disposition`, else made from its URL.
  init(suggestedBy response: URLResponse) {
    name = RemoteName.harmless(RemoteName.given(by: response) ?? response.suggestedFilename ?? "unknown")
    isExact = false
  }

  /// The name in `Content-Disposition` unchanged: no extension for the type is added, unlike in `suggestedFilename`.
  private static func given(by response: URLResponse) -> String? {
    let name = "Content-Disposition"
    guard let http = response as? HTTPURLResponse, let url = http.url, let field = http.value(forHTTPHeaderField: name),
      field.lowercased().contains("filename")
    else { return nil }
    return HTTPURLResponse(url: url, statusCode: http.statusCode, httpVersion: nil, headerFields: [name: field])?.suggestedFilename
  }

  /// Replaces a leading hyphen: a file named "-rf" would be an option to a command that gets it from a shell pattern.
  private static func harmless(_ name: String) -> String {
    name.hasPrefix("-") ? "_" + name.dropFirst() : name
  }
}
