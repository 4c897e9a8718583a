#if Inspector
  import Foundation
  import LoadingModel
  import ProtocolRules

  /// Applies a recorder's redaction rules to fields, URLs, bodies and texts. Immutable.
  struct Redactor: Sendable {
    private let names: SecretNames
    private let isOn: Bool
    private let bodyRule: (@Sendable (String, String) -> String)?

    /// Creates the rules.
    ///
    /// - Parameters:
    ///   - names: Additional names of secrets.
    ///   - bodyRule: Changes a body's text after the other rules; gets its media type and text.
    init(isOn: Bool = true, names: Set<String> = [], bodyRule: (@Sendable (String, String) -> String)? = nil) {
      self.names = SecretNames(adding: names, isOn: isOn)
      self.isOn = isOn
      self.bodyRule = bodyRule
    }

    // MARK: - Header fields

    /// The fields with their secrets replaced. If there are none, the result shares the storage of `fields`.
    func fields(_ fields: HeaderFields) -> HeaderFields {
      guard isOn else { return fields }
      return fields.replacingValues { redacted($0, $1) }
    }

    func value(of name: String, _ value: String) -> String { isOn ? redacted(name, value) ?? value : value }

    /// The value to record instead of a field's value; nil if the value can be recorded unchanged.
    private func redacted(_ name: String, _ value: String) -> String? {
      guard !value.isEmpty else { return nil }
      // The length is compared first, because it is cheaper than comparing names, and most fields have other lengths.
      switch name.utf8.count {
      case 6 where name.equalsIgnoringCase("cookie"): return cookies(value)
      case 10 where name.equalsIgnoringCase("set-cookie"): return setCookie(value)
      case 13 where name.equalsIgnoringCase("authorization"), 19 where name.equalsIgnoringCase("proxy-authorization"):
        return credentials(value)
      case 16 where name.equalsIgnoringCase("www-authenticate"), 18 where name.equalsIgnoringCase("proxy-authenticate"):
        return challenge(value)
      default: break
      }
      if names.contains(name) { return TextRedaction.mark }
      return Redactor.mayHoldSecrets(value) ? url(value) : nil
    }

    /// Whether a value contains a character without which a URL has no secrets: `?`, `#`, `@` or `%`.
    private static func mayHoldSecrets(_ value: String) -> Bool {
      // Runs for every value of every head. The loop has no early exit, so that the compiler can vectorize it.
      let isFound = value.utf8.withContiguousStorageIfAvailable { bytes in
        var isFound = false
        for byte in bytes {
          isFound =
            isFound || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") || byte == UInt8(ascii: "@") || byte == UInt8(ascii: "%")
        }
        return isFound
      }
      return isFound ?? true
    }

    /// Credentials without their secret: `Basic …` becomes `Basic REDACTED`.
    private func credentials(_ value: String) -> String {
      guard let space = value.firstIndex(of: " ") else { return TextRedaction.mark }
      return "\(value[..<space]) \(TextRedaction.mark)"
    }

    /// A challenge's parameters are public, except the tokens that Negotiate and NTLM send after their names.
    private func challenge(_ value: String) -> String {
      let scheme = value.prefix { $0 != " " }.lowercased()
      return scheme == "negotiate" || scheme == "ntlm" ? credentials(value + " ") : value
    }

    private func cookies(_ value: String) -> String {
      value.split(separator: ";").map { pair in
        let pair = pair.drop { $0 == " " }
        // Without `=`, a pair is the value of a cookie that has no name.
        guard let equals = pair.firstIndex(of: "=") else { return TextRedaction.mark }
        return "\(pair[...equals])\(TextRedaction.mark)"
      }.joined(separator: "; ")
    }

    private func setCookie(_ value: String) -> String {
      guard let equals = value.firstIndex(of: "=") else { return TextRedaction.mark }
      let attributes = value.firstIndex(of: ";").map { value[$0...] } ?? ""
      guard equals < attributes.startIndex || attributes.isEmpty else { return TextRedaction.mark }
      return "\(value[...equals])\(TextRedaction.mark)\(attributes)"
    }

    // MARK: - URLs

    /// A URL without user name and password, and without the values of parameters with the names of secrets.
    func url(_ text: String) -> String {
      if text.utf8.starts(with: "data:".utf8) { return String(text.prefix { $0 != "," }) }
      guard isOn, Redactor.mayHoldSecrets(text) else { return text }
      // The rest is redacted as text, because parameters may contain further URLs, encoded or not.
      return TextRedaction.redacted(withoutUser(text), names, isURL: true)
    }

    private func withoutUser(_ text: String) -> String {
      // Few URLs have an `@`, and looking for it is cheaper than looking for the authority.
      guard text.utf8.contains(UInt8(ascii: "@")), let slashes = text.range(of: "://") else { return text }
      let authority = text[slashes.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
      guard let at = authority.lastIndex(of: "@") else { return text }
      return "\(text[..<slashes.upperBound])\(TextRedaction.mark)@\(text[text.index(after: at)...])"
    }

    // MARK: - Bodies

    /// Redacts a body if it is text.
    ///
    /// - Parameter isCut: Whether `data` is only the beginning of the body.
    func body(_ data: Data, mediaType: String, isCut: Bool = false) -> Data {
      guard isOn, Redactor.isText(data, mediaType) else { return data }
      let redacted = TextRedaction.redacted(data, names, isCut: isCut).map { Data($0) } ?? data
      guard let bodyRule else { return redacted }
      return Data(bodyRule(mediaType, String(decoding: redacted, as: UTF8.self)).utf8)
    }

    func text(_ text: String, isCut: Bool = false) -> String {
      guard isOn else { return text }
      let redacted = TextRedaction.redacted(text, names, isCut: isCut)
      return bodyRule?("", redacted) ?? redacted
    }

    /// Whether a body may contain legible names and values: not for images, audio, video and fonts, nor if its beginning has null bytes.
    private static func isText(_ data: Data, _ mediaType: String) -> Bool {
      let type = mediaType.prefix { $0 != "/" }.lowercased()
      switch type {
      case "image" where mediaType.lowercased().hasPrefix("image/svg"): return true
      case "image", "audio", "video", "font": return false
      case "text", "multipart": return true
      default: return !data.prefix(1024).contains(0)
      }
    }
  }
#endif
