import Foundation
import URLLoadingSystem

/// The name of the file that `-O` writes: one plain component of a path, which neither leaves the current directory nor looks like an option
/// to the next command.
struct RemoteName: Sendable, Equatable {
  let name: String
  /// Whether the URL that the user gave says it to the letter: only then the user has named the file.
  let isExact: Bool

  /// The last component of the URL's path; nil if there is none.
  init?(of url: URL?) {
    guard let url, !url.lastPathComponent.isEmpty, url.lastPathComponent != "/" else { return nil }
    let plain = URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil).suggestedFilename
    name = RemoteName.harmless(plain ?? "unknown")
    isExact = name == url.lastPathComponent
  }

  /// What the response suggests: the name in `Content-Disposition`, else one made of its URL.
  init(suggestedBy response: URLResponse) {
    name = RemoteName.harmless(RemoteName.given(by: response) ?? response.suggestedFilename ?? "unknown")
    isExact = false
  }

  /// The name in `Content-Disposition` as it is there: an extension for the type isn't added, as in suggestions to an app.
  private static func given(by response: URLResponse) -> String? {
    let name = "Content-Disposition"
    guard let http = response as? HTTPURLResponse, let url = http.url, let field = http.value(forHTTPHeaderField: name),
      field.lowercased().contains("filename")
    else { return nil }
    return HTTPURLResponse(url: url, statusCode: http.statusCode, httpVersion: nil, headerFields: [name: field])?.suggestedFilename
  }

  /// A file "-rf" would be an option to the command that gets it by a pattern of the shell.
  private static func harmless(_ name: String) -> String {
    name.hasPrefix("-") ? "_" + name.dropFirst() : name
  }
}
