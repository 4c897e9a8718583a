import LoadingModel

/// URLs as logs, diagnostics and spans show them: never with user names, passwords or fragments.
enum ShownURL {
  /// What stands for text that isn't shown, as OpenTelemetry has it.
  static let redacted = "REDACTED"

  /// Parameters of queries that grant access, which OpenTelemetry asks to leave out in any case.
  private static let secrets: Set<String> = ["AWSAccessKeyId", "Signature", "sig", "X-Goog-Signature", "X-Amz-Signature"]

  /// - Parameter showsQuery: Without it a query is one word. With it, the values of parameters that are known to grant access are.
  static func text(_ request: LoadRequest, showsQuery: Bool) -> String {
    // data: holds its contents, file: names of the user's.
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
