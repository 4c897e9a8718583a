import Foundation
import URLLoadingSystem

/// Which scheme a login may be used with.
enum LoginScheme: Sendable, Equatable {
  /// Whichever the server asks for.
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

/// A user's name and password. Never shown: it has no description of its own.
struct Login: Sendable, CustomStringConvertible, CustomReflectable {
  let user: String
  let password: String
  let scheme: LoginScheme

  var description: String { "Login" }
  var customMirror: Mirror { Mirror(self, children: []) }

  /// The login in `-u`'s argument; nil if there is none.
  /// - Parameter ask: Asks for the password, where the argument has none.
  /// - Throws: If it has to be asked for and there is no terminal.
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

  /// The field that sends the login unasked; nil unless that is wanted.
  var unaskedField: String? {
    guard scheme == .basic else { return nil }
    return "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
  }

  /// `url` with the login, where it has none of another user and its scheme is FTP's: servers of FTP also take anonymous users without asking
  /// for a login.
  func joined(to url: URL) -> URL {
    guard ["ftp", "ftps"].contains(url.scheme?.lowercased() ?? ""), [nil, user].contains(url.user(percentEncoded: false)), scheme == .any,
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
    else { return url }
    (parts.user, parts.password) = (user, password)
    return parts.url ?? url
  }

  var credential: URLCredential { URLCredential(user: user, password: password, persistence: .forSession) }
}
