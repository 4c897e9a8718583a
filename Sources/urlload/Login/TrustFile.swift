import Foundation

/// Replaces the system's certificate authorities by the file of `--cacert`.
enum TrustFile {
  /// Makes sessions that are made from now on trust the authorities in the PEM file at `path`, and no others.
  /// - Throws: If the file can't be read or holds no certificate.
  static func use(_ path: String) throws(ToolFailure) {
    guard let content = NamedContent.ofFile(path) else {
      throw ToolFailure(.authoritiesUnreadable, "\(path) can't be read; --cacert takes a PEM file of certificate authorities")
    }
    guard content.range(of: Data("-----BEGIN CERTIFICATE-----".utf8)) != nil else {
      throw ToolFailure(.authoritiesUnreadable, "\(path) holds no certificate in PEM; convert DER with openssl x509 -inform der")
    }
    // The library takes the authorities from this documented variable. It reads the file again, so that the content of a pipe is copied.
    setenv("SSL_CERT_FILE", FileTarget.isSpecial(path) ? try copied(content, path) : path, 1)
    unsetenv("SSL_CERT_DIR")
  }

  /// - Returns: The path of a temporary file with the content, which exists as long as the process.
  private static func copied(_ content: Data, _ path: String) throws(ToolFailure) -> String {
    guard let copy = NamelessFile.make(), Descriptor.writeAll(content, to: copy) == nil else {
      throw ToolFailure(.authoritiesUnreadable, "what \(path) gives can't be kept in the folder for temporary files; name a regular file")
    }
    return NamelessFile.path(copy)
  }
}
