import LoadingModel

/// The parsed value of a `Strict-Transport-Security` field (RFC 6797, 6.1).
package struct StrictTransportSecurity: Sendable, Hashable {
  /// Seconds for which the host is to be reached by TLS only; 0 revokes an earlier policy.
  package var maxAge: Int64
  package var includesSubdomains: Bool

  package init(maxAge: Int64, includesSubdomains: Bool) {
    self.maxAge = maxAge
    self.includesSubdomains = includesSubdomains
  }

  /// Seconds, some 68 years: a longer time counts as this one.
  private static let longestAge: Int64 = 1 << 31

  /// The policy in a response's header fields; nil if there is none, or none that is valid.
  ///
  /// RFC 6797, 8.1: of several fields only the first counts; one that doesn't follow the grammar is ignored whole.
  package init?(_ headers: HeaderFields) {
    guard let value = headers.first("Strict-Transport-Security") else { return nil }
    self.init(value)
  }

  /// - Parameter value: The field's value.
  package init?(_ value: String) {
    var reader = DirectiveReader(value)
    var names: Set<String> = []
    var age: Int64?
    var includesSubdomains = false
    while !reader.isAtEnd {
      guard let directive = reader.next() else { return nil }
      // RFC 6797, 6.1: "[ directive ]": a directive may be empty.
      guard !directive.name.isEmpty else { continue }
      // RFC 6797, 6.1: "All directives MUST appear only once in an STS header field."
      guard names.insert(directive.name).inserted else { return nil }
      switch directive.name {
      case "max-age":
        guard let argument = directive.value, let seconds = StrictTransportSecurity.seconds(argument) else { return nil }
        age = seconds
      case "includesubdomains":
        // RFC 6797, 6.1.2: the directive is "valueless".
        guard directive.value == nil else { return nil }
        includesSubdomains = true
      // RFC 6797, 6.1: "UAs MUST ignore any STS header field containing directives … that do not conform to the syntax"; unknown ones that do
      // conform are skipped.
      default: break
      }
    }
    // RFC 6797, 6.1.1: "The REQUIRED "max-age" directive".
    guard let age else { return nil }
    self.init(maxAge: age, includesSubdomains: includesSubdomains)
  }

  private static func seconds(_ text: String) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
    return min(FieldSyntaxRules.decimal(text.utf8) ?? longestAge, longestAge)
  }
}

/// Reads `token [ "=" ( token / quoted-string ) ]` between semicolons, with optional white space around each part (RFC 6797, 6.1, which
/// takes RFC 2616's implied white space over).
private struct DirectiveReader {
  private var cursor: FieldCursor
  private var expectsMore = true

  init(_ text: String) { cursor = FieldCursor(text) }

  /// Whether all directives have been read. After a semicolon one more follows, which may be empty.
  var isAtEnd: Bool { !expectsMore }

  /// Reads the next directive. Its name is in lower case, and empty if the directive is; nil if the text doesn't follow the grammar.
  mutating func next() -> (name: String, value: String?)? {
    cursor.skipSpace()
    var directive: (name: String, value: String?) = ("", nil)
    if let byte = cursor.peek, byte != UInt8(ascii: ";") {
      guard let read = cursor.parameter() else { return nil }
      directive = (read.name.lowercased(), read.value)
    }
    expectsMore = cursor.take(UInt8(ascii: ";"))
    return expectsMore || cursor.isAtEnd ? directive : nil
  }
}
