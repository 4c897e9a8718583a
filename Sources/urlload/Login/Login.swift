import Foundation
import URLLoadingSystem

/// The authentication schemes that a login may be used with.
enum LoginScheme: Sendable, Equatable {
  /// Any scheme that the server asks for.
  case any
  case basic
  case digest

  func allows(_ method: String) -> Bool {
    switch self {
    case .any: true
    case .basic: method == NSURLAuthenticationMethodHTTPBasic
    case .digest: method == NSURLAuthenticationMethodHTTPDigest
    }
  }
}

/// A user name and a password. Its descriptions show neither.
struct Login: Sendable, CustomStringConvertible, CustomReflectable {
  let user: String
  let password: String
  let scheme: LoginScheme

  var description: String { "Login" }
  var customMirror: Mirror { Mirror(self, children: []) }

  /// The login of `-u`; nil without that option.
  /// - Parameter ask: Asks the user for the password, if the option has none.
  /// - Throws: If the password has to be asked for, and there is no terminal.
  init?(_ options: LoginOptions, ask: (String) throws(ToolFailure) -> String) throws(ToolFailure) {
    guard let argument = options.user else { return nil }
    scheme = options.scheme
    if let colon = argument.firstIndex(of: ":") {
      user = String(argument[..<colon])
      password = String(argument[argument.index(after: colon)...])
    } else {
      user = argument
      password = try ask(argument)
    }
  }

  init(user: String, password: String, scheme: LoginScheme) {
    self.user = user
    self.password = password
    self.scheme = scheme
  }

  /// The `Authorization` field that sends the login without a challenge; nil unless `--basic` was given.
  var unaskedField: String? {
    guard scheme == .basic else { return nil }
    return "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
  }

  /// An FTP URL with this login, unless it has another user: FTP servers may accept anonymous users without asking for a login. Other URLs are
  /// returned unchanged.
  func joined(to url: URL) -> URL {
    guard ["ftp", "ftps"].contains(url.scheme?.lowercased() ?? ""), [nil, user].contains(url.user(percentEncoded: false)), scheme == .any,
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
    else { return url }
    (parts.user, parts.password) = (user, password)
    return parts.url ?? url
  }

  var credential: URLCredential { URLCredential(user: user, password: password, persistence: .forSession) }
}
