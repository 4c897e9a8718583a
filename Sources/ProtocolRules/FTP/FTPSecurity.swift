import LoadingModel

/// How a control connection of FTP is secured (RFC 4217).
package enum FTPSecurity: Sendable {
  /// Not, unless the server insists.
  case none
  /// After the greeting, by AUTH TLS.
  case explicit
  /// From the first byte.
  case implicit

  /// What a URL asks for: `ftps:` means TLS from the first byte, except on the port of plain FTP, where the server sends first and TLS can only be
  /// asked for.
  package init(_ origin: Origin) {
    self =
      switch (origin.scheme, origin.port) {
      case ("ftps", 21): .explicit
      case ("ftps", _): .implicit
      default: .none
      }
  }
}
