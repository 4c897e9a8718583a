import Foundation

/// `--cacert`: a file of certificate authorities that replaces the system's.
enum TrustFile {
  /// Makes sessions that are made from now on trust the authorities in the PEM file at `path`, and no others.
  /// - Throws: If the file can't be read or holds no certificate.
  static func use(_ path: String) throws(ToolFailure) {
    guard let content = FileManager.default.contents(atPath: path) else {
      throw ToolFailure(.authoritiesUnreadable, "\(path) can't be read; --cacert takes a PEM file of certificate authorities")
    }
    guard content.range(of: Data("-----BEGIN CERTIFICATE-----".utf8)) != nil else {
      throw ToolFailure(.authoritiesUnreadable, "\(path) holds no certificate in PEM; convert DER with openssl x509 -inform der")
    }
    // The variable by which the library takes other authorities, documented as such.
    setenv("SSL_CERT_FILE", path, 1)
    unsetenv("SSL_CERT_DIR")
  }
}
