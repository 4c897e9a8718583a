import Foundation
import URLLoadingSystem

/// `--cert` and `--key`: the certificate with which the tool authenticates itself.
struct IdentityFile: Sendable {
  private let identity: SecIdentity

  var credential: URLCredential { URLCredential(identity: identity, certificates: nil, persistence: .forSession) }

  /// The identity that the options name; nil if they name none.
  /// - Throws: If it can't be read.
  init?(_ options: LoginOptions) throws(ToolFailure) {
    guard let argument = options.cert else { return nil }
    let (path, password) = IdentityFile.parts(argument) { FileManager.default.fileExists(atPath: $0) }
    let certificate = try IdentityFile.content(of: path, option: "--cert")
    let key = try options.key.map { path throws(ToolFailure) in try IdentityFile.content(of: path, option: "--key") }
    guard let identity = IdentityFile.read(certificate, key: key, password: password) else {
      throw ToolFailure(.identityUnusable, IdentityFile.complaint(path, hasKey: key != nil, hasPassword: password != nil))
    }
    self.identity = identity
  }

  /// File and password of `--cert`'s argument. A file whose name has a colon is told by being there.
  static func parts(_ argument: String, exists: (String) -> Bool) -> (path: String, password: String?) {
    guard let colon = argument.firstIndex(of: ":"), !exists(argument) else { return (argument, nil) }
    // The longest name of a file that is there; else what precedes the first colon.
    var end = argument.lastIndex(of: ":") ?? colon
    while end > colon, !exists(String(argument[..<end])) {
      end = argument[..<end].lastIndex(of: ":") ?? colon
    }
    return (String(argument[..<end]), String(argument[argument.index(after: end)...]))
  }

  private static func content(of path: String, option: String) throws(ToolFailure) -> Data {
    guard let content = NamedContent.ofFile(path) else {
      throw ToolFailure(.identityUnusable, "\(path) can't be read; \(option) takes a file, and after a colon its password")
    }
    return content
  }

  private static func read(_ certificate: Data, key: Data?, password: String?) -> SecIdentity? {
    if certificate.range(of: Data("-----BEGIN".utf8)) != nil {
      return SecIdentity(pem: certificate, key: key, passphrase: password)
    }
    return SecIdentity(pkcs12: certificate, passphrase: password ?? "")
  }

  private static func complaint(_ path: String, hasKey: Bool, hasPassword: Bool) -> String {
    let place = hasKey ? "it and --key" : "it"
    let remedy = hasPassword ? "check the password after the colon" : "if a password protects the key, add it after a colon"
    return "no certificate with its private key could be read from \(path): \(place) must hold both, in PEM or PKCS #12; \(remedy)"
  }
}
