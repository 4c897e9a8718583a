/// Removes from texts for logs and lists what only the app may see: queries, fragments and user names of URLs.
enum ShownText {
  private static let limit = 1000

  /// `text` without the queries, fragments and users of the URLs in it.
  static func withoutQueries(_ text: String) -> String {
    guard text.contains("://") else { return String(text.prefix(limit)) }
    let words = text.prefix(4 * limit).split(separator: " ", omittingEmptySubsequences: false)
    return String(words.map(shortened).joined(separator: " ").prefix(limit))
  }

  private static func shortened(_ word: Substring) -> String {
    guard let scheme = word.firstRange(of: "://") else { return String(word) }
    var rest = word[scheme.upperBound...]
    rest = rest.prefix { $0 != "?" && $0 != "#" }
    let authority = rest.prefix { $0 != "/" }
    if let user = authority.lastIndex(of: "@") { rest = rest[rest.index(after: user)...] }
    return String(word[..<scheme.upperBound]) + rest
  }
}
