/// The options about logins and trust, as given on the command line.
struct LoginOptions: Sendable {
  var user: String?
  var basic = false
  var digest = false
  var bearer: String?
  /// Whether `~/.netrc` is read (`--netrc`).
  var usesNetrc = false
  var netrcFile: String?
  /// Whether the netrc file may be missing (`--netrc-optional`).
  var isNetrcOptional = false
  var cacert: String?
  var cert: String?
  var key: String?
  var insecure = false
  var pinnedKey: String?

  /// - Throws: If one of the values is wrong, whatever the other options are.
  func validateValues() throws(UsageError) {
    if user?.isEmpty == true || user?.hasPrefix(":") == true { throw UsageError("-u needs a user name before the colon.") }
    if let pinnedKey, PinnedKeys.digests(in: pinnedKey)?.isEmpty == true {
      throw UsageError("--pinnedpubkey takes sha256// and 44 characters of Base64, several of them with ; between, or a file.")
    }
  }

  func validate() throws(UsageError) {
    try validateValues()
    if basic, digest { throw UsageError("--basic and --digest exclude each other; leave both out to let the server choose.") }
    if user != nil, bearer != nil { throw UsageError("-u and --oauth2-bearer both say who asks; leave one of the two out.") }
    if key != nil, cert == nil { throw UsageError("--key is the key of a certificate; name that with --cert.") }
    if insecure, cacert != nil {
      throw UsageError("-k accepts any certificate, so --cacert would have no effect; leave one of the two out.")
    }
  }

  /// The authentication schemes that the login may be used with.
  var scheme: LoginScheme { basic ? .basic : digest ? .digest : .any }

  var readsNetrc: Bool { usesNetrc || netrcFile != nil }
}
