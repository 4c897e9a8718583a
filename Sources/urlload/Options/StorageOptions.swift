/// The options about cookies, sessions and cache, as given on the command line.
struct StorageOptions: Sendable {
  var cookie: [String] = []
  var cookieJar: String?
  var keepCookies = false
  var cache = false
  /// The name of a kept session, or the path of its file.
  var session: String?
  var readsSessionOnly = false

  /// What is said about cookies that aren't sent; nil if all are.
  var complaint: ToolFailure? {
    guard cookie.contains(where: CookieArgument.hasNameless) else { return nil }
    return ToolFailure(.other, "a cookie of -b without a name isn't sent; -H 'Cookie: ...' sends cookies as they are given")
  }

  /// - Throws: If one of the values is wrong, whatever the other options are.
  func validateValues() throws(UsageError) {
    if cookieJar?.isEmpty == true { throw UsageError("-c needs the name of a file, or - for standard output.") }
    for case .pairs(let pairs) in cookie.map(CookieArgument.init) {
      for pair in pairs { _ = try FieldText.value("\(pair.name)=\(pair.value)", of: "Cookie") }
    }
    if session?.isEmpty == true { throw UsageError("--session needs a name, such as --session work, or the path of a file.") }
  }

  func validate() throws(UsageError) {
    try validateValues()
    if cookieJar != nil, keepCookies {
      throw UsageError("-c and --keep-cookies both say where cookies are kept; leave one of the two out.")
    }
    if session != nil, keepCookies || cookieJar != nil {
      throw UsageError("--session keeps cookies itself; leave -c and --keep-cookies out.")
    }
  }
}
