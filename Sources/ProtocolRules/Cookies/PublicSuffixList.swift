import LoadingModel

/// The rules of a file in the form of publicsuffix.org: one a line, "*" for any one label, "!" for an exception.
package struct PublicSuffixList: PublicSuffixes {
  private var exact: Set<String> = []
  /// The names that follow "*." in wildcard rules.
  private var wildcards: Set<String> = []
  private var exceptions: Set<String> = []

  /// - Parameters:
  ///   - text: The file's contents, private and ICANN domains alike.
  ///   - toASCII: The ASCII form of an international name; nil to leave the rule out.
  package init(_ text: String, toASCII: (String) -> String?) {
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      // publicsuffix.org: "Each line is only read up to the first whitespace."
      let rule = line.prefix { $0 > 0x20 }
      guard !rule.isEmpty, !rule.starts(with: "//".utf8) else { continue }
      var name = String(Substring(rule))
      if !rule.allSatisfy({ $0 < 0x80 }) {
        let mark = name.hasPrefix("*.") ? "*." : name.hasPrefix("!") ? "!" : ""
        guard let ascii = toASCII(String(name.dropFirst(mark.count))) else { continue }
        name = mark + ascii
      }
      add(name)
    }
  }

  private mutating func add(_ rule: String) {
    if rule.hasPrefix("!") {
      exceptions.insert(String(rule.dropFirst()))
    } else if rule.hasPrefix("*.") {
      wildcards.insert(String(rule.dropFirst(2)))
    } else {
      exact.insert(rule)
    }
  }

  /// Whether the list has no rule, as that of an empty file.
  package var isEmpty: Bool { exact.isEmpty }

  package func isPublicSuffix(_ name: String) -> Bool {
    let domain = PublicSuffixList.withoutRoot(name)
    if exceptions.contains(domain) { return false }
    // The name that follows "*." counts as a public suffix itself, as in libpsl: names can be registered below it.
    if exact.contains(domain) || wildcards.contains(domain) { return true }
    // publicsuffix.org: "If no rules match, the prevailing rule is *": an unknown top-level domain is a public suffix.
    guard let dot = domain.utf8.firstIndex(of: UInt8(ascii: ".")) else { return true }
    return wildcards.contains(String(domain[domain.utf8.index(after: dot)...]))
  }
}
