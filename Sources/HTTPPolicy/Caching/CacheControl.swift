import LoadingModel

/// The directives of `Cache-Control` that storing asks for (RFC 9111, 5.2).
package struct CacheControl: Sendable, Hashable {
  package private(set) var noStore = false
  package private(set) var noCache = false
  package private(set) var mustRevalidate = false
  package private(set) var isPublic = false
  package private(set) var isPrivate = false
  /// Seconds. RFC 9111, 4.2.1: an unreadable or repeated, differing value means stale, so it counts as 0; 1.2.2: a huge one is capped.
  package private(set) var maxAge: Int64?

  /// Reads every `Cache-Control` field of a request or response as one list.
  package init(_ headers: HeaderFields) {
    for (name, value) in headers.entries where name.isField("cache-control") {
      for directive in CacheControl.directives(in: value) { read(directive) }
    }
  }

  private mutating func read(_ directive: Substring) {
    let parts = directive.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0].trimmingSpaces())
    // Unknown directives are ignored (5.2.3). With arguments, no-cache and private speak of single fields; the stricter reading is allowed.
    if name.isField("no-store") { noStore = true }
    if name.isField("no-cache") { noCache = true }
    if name.isField("must-revalidate") { mustRevalidate = true }
    if name.isField("public") { isPublic = true }
    if name.isField("private") { isPrivate = true }
    if name.isField("max-age") {
      let seconds = CacheControl.seconds(parts.count > 1 ? parts[1] : "")
      maxAge = maxAge == nil || maxAge == seconds ? seconds : 0
    }
  }

  /// 5.2: a recipient accepts both the token and the quoted-string form of an argument.
  private static func seconds(_ argument: Substring) -> Int64 {
    var digits = argument.trimmingSpaces()
    if digits.utf8.count >= 2, digits.hasPrefix("\""), digits.hasSuffix("\"") { digits = digits.dropFirst().dropLast() }
    guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return 0 }
    return min(FieldSyntaxRules.decimal(digits.utf8) ?? .max, 1 << 31)
  }

  /// The elements of the list; a comma inside quotes doesn't separate.
  private static func directives(in value: String) -> [Substring] {
    var result: [Substring] = []
    var start = value.startIndex
    var isQuoted = false
    var isEscaped = false
    for index in value.utf8.indices {
      switch value.utf8[index] {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\") where isQuoted: isEscaped = true
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: ",") where !isQuoted:
        result.append(value[start..<index])
        start = value.utf8.index(after: index)
      default: break
      }
    }
    result.append(value[start...])
    return result
  }
}
