import LoadingModel

/// How a control connection of FTP is secured (RFC 4217).
package enum FTPSecurity: Sendable {
  /// By no TLS, unless the server insists on it.
  case none
  /// By AUTH TLS after the greeting, before the login.
  case explicit
  /// By TLS from the first byte.
  case implicit

  /// The security that a URL asks for: `ftps:` means TLS from the first byte, except on the port of plain FTP, where the server speaks first and
  /// TLS can only be requested by a command.
  package init(_ origin: Origin) {
    self =
      switch (origin.scheme, origin.port) {
      case ("ftps", 21): .explicit
      case ("ftps", _): .implicit
      default: .none
      }
  }
}
