import Foundation
import URLLoadingSystem

/// The client certificate and its key, from the files of `--cert` and `--key`.
struct IdentityFile: Sendable {
  private let identity: SecIdentity

  var credential: URLCredential { URLCredential(identity: identity, certificates: nil, persistence: .forSession) }

  /// The identity in the files that the options name; nil if they name none.
  /// - Throws: If a file can't be read, or has no certificate with its key.
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

  /// The file and the password in the value of `--cert`. If there is a file with the whole value as its name, there is no password.
  static func parts(_ argument: String, exists: (String) -> Bool) -> (path: String, password: String?) {
    guard let colon = argument.firstIndex(of: ":"), !exists(argument) else { return (argument, nil) }
    // The file is the longest part before a colon that exists; if none exists, the part before the first colon.
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
