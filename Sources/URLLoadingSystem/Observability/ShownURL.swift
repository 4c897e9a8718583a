import LoadingModel

/// Formats URLs for logs, diagnostics and spans: never with user names, passwords or fragments.
enum ShownURL {
  /// The replacement for text that isn't shown, the same as in OpenTelemetry.
  static let redacted = "REDACTED"

  /// Query parameters whose values grant access, which OpenTelemetry asks to redact in any case.
  private static let secrets: Set<String> = ["AWSAccessKeyId", "Signature", "sig", "X-Goog-Signature", "X-Amz-Signature"]

  /// - Parameter showsQuery: false replaces the whole query by `REDACTED`; true only the values of parameters that grant access.
  static func text(_ request: LoadRequest, showsQuery: Bool) -> String {
    // Of URLs that aren't HTTP's only the scheme is shown: a `data` URL contains data, a `file` URL names of the user's files.
    guard let target = request.target else { return request.url?.scheme.map { "\($0):" } ?? "" }
    let resource = target.pathAndQuery
    guard let mark = resource.utf8.firstIndex(of: UInt8(ascii: "?")) else {
      return "\(target.origin.scheme)://\(target.authority)\(resource)"
    }
    let query = resource[resource.index(after: mark)...]
    return "\(target.origin.scheme)://\(target.authority)\(resource[..<mark])?\(showsQuery ? withoutSecrets(query) : redacted)"
  }

  private static func withoutSecrets(_ query: Substring) -> String {
    query.split(separator: "&", omittingEmptySubsequences: false).map { parameter in
      let name = parameter.prefix { $0 != "=" }
      return secrets.contains(String(name)) ? "\(name)=\(redacted)" : String(parameter)
    }.joined(separator: "&")
  }
}
