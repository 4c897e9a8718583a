/// A MIME type with its parameters, parsed as the WHATWG MIME Sniffing standard says: forgiving about parameters, strict about the type.
package struct MediaType: Sendable {
  /// "type/subtype" in lower case, without parameters.
  package let essence: String
  /// Names in lower case, values as written, in order; of a repeated name the first counts.
  package private(set) var parameters: [(name: String, value: String)] = []

  /// The character set in lower case, if the type names one.
  package var charset: String? {
    guard let value = self["charset"], !value.isEmpty else { return nil }
    return value.lowercased()
  }

  package subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

  /// nil if `text` doesn't start with a type and a subtype.
  package init?(_ text: String) {
    var scanner = ParameterScanner(text)
    scanner.skipWhitespace()
    let type = scanner.take { $0 != "/" }
    guard scanner.skip("/"), ParameterScanner.isToken(type) else { return nil }
    let subtype = scanner.take { $0 != ";" }.trimmingEnd()
    guard ParameterScanner.isToken(subtype) else { return nil }
    essence = (String(type) + "/" + String(subtype)).lowercased()
    while scanner.skip(";") {
      guard let (name, value) = scanner.mimeParameter() else { continue }
      if self[name] == nil { parameters.append((name, value)) }
    }
  }

  /// What a response header's value says about the type: the essence, or for a malformed value whatever precedes its parameters.
  package static func lenientEssence(_ text: String) -> String? {
    if let parsed = MediaType(text) { return parsed.essence }
    let head = text.prefix { $0 != ";" }.trimmingSpaces().lowercased()
    return head.isEmpty ? nil : head
  }
}

extension ParameterScanner {
  /// One parameter up to the next ";"; nil if it is malformed or has no value (WHATWG MIME Sniffing, 4.4).
  fileprivate mutating func mimeParameter() -> (name: String, value: String)? {
    skipWhitespace()
    let name = take { $0 != ";" && $0 != "=" }
    guard skip("=") else { return nil }
    let value: String
    if next == "\"" {
      value = quotedString()
      _ = take { $0 != ";" }
    } else {
      value = String(take { $0 != ";" }.trimmingEnd())
      if value.isEmpty { return nil }
    }
    guard Self.isToken(name), value.unicodeScalars.allSatisfy(Self.isQuotable) else { return nil }
    return (String(name).lowercased(), value)
  }
}
