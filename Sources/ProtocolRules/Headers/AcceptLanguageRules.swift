import LoadingModel

/// The value of `Accept-Language` from the user's languages.
package enum AcceptLanguageRules {
  /// The value for `languages`, most wanted first: "en-US" becomes "en-US,en;q=0.9". Nil if none is usable.
  ///
  /// BCP 47 tags and POSIX locale names ("de_DE.UTF-8") are understood; "C" and "POSIX" name no language, "en-001" is "en". Each tag is followed
  /// by its bare language, unless that comes later anyway or the next tag shares it, as Apple and browsers send it. The weights fall by a tenth
  /// from tag to tag (RFC 9110, 12.4.2), so that there are ten tags at most.
  package static func value(for languages: [String]) -> String? {
    let tags = expanded(languages.compactMap(normalized)).prefix(10)
    guard !tags.isEmpty else { return nil }
    return tags.enumerated().map { $0.offset == 0 ? $0.element : "\($0.element);q=0.\(10 - $0.offset)" }.joined(separator: ",")
  }

  private static func expanded(_ tags: [String]) -> [String] {
    var result: [String] = []
    for (index, tag) in tags.enumerated() {
      appendOnce(tag, to: &result)
      let language = primary(tag)
      let next = index + 1 < tags.count ? primary(tags[index + 1]) : nil
      if next?.equalsIgnoringCase(language) != true { appendOnce(language, to: &result) }
    }
    return result
  }

  private static func appendOnce(_ tag: String, to tags: inout [String]) {
    if !tags.contains(where: { $0.equalsIgnoringCase(tag) }) { tags.append(tag) }
  }

  private static func primary(_ tag: String) -> String {
    tag.firstIndex(of: "-").map { String(tag[..<$0]) } ?? tag
  }

  /// The region "world" (UN M.49), which the system uses where it names no country ("en-001"). Browsers don't send it, so it is removed.
  private static let anywhere = "001"

  /// The language tag of a POSIX locale name or a BCP 47 tag: without codeset and modifier, with hyphens; nil for what can't be a language tag
  /// (RFC 5646, 2.1).
  private static func normalized(_ name: String) -> String? {
    let end = name.firstIndex { $0 == "." || $0 == "@" } ?? name.endIndex
    var tag = String(name[..<end].map { $0 == "_" ? "-" : $0 })
    guard tag != "C", tag != "POSIX" else { return nil }
    if tag.hasSuffix("-" + anywhere) { tag.removeLast(anywhere.utf8.count + 1) }
    let subtags = tag.split(separator: "-", omittingEmptySubsequences: false)
    let isTag = subtags.allSatisfy { subtag in
      (1...8).contains(subtag.utf8.count) && subtag.utf8.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || (0x61...0x7A).contains($0 | 0x20) }
    }
    return isTag ? tag : nil
  }
}
