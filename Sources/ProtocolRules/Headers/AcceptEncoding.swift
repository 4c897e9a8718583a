/// The values of `Accept-Encoding` that a session sends. The value for TLS is computed at its first use: finding out whether the decoders'
/// libraries are installed takes time, and a session without TLS never needs it.
package struct AcceptEncoding: Sendable {
  package let plain: String
  private let makeSecure: @Sendable () -> String
  package var secure: String { makeSecure() }

  package init(plain: String, secure: @escaping @Sendable () -> String) { (self.plain, makeSecure) = (plain, secure) }

  package init(_ decoders: ContentDecoders) {
    let secure = decoders.acceptEncoding(secure: true)
    self.init(plain: decoders.acceptEncoding(secure: false)) { secure }
  }
}

extension ContentDecoders {
  /// The `Accept-Encoding` value for a server, with TLS (`secure`) or without.
  ///
  /// Brotli and Zstandard are offered over TLS only, as browsers and Apple do: old intermediaries on plain connections garble codings they
  /// don't know. Without any decoder the value is "identity", since an absent field would allow every coding (RFC 9110, 12.5.3).
  package func acceptEncoding(secure: Bool) -> String {
    var codings: [String] = []
    if contains(.gzip) { codings.append("gzip") }
    if contains(.deflate) { codings.append("deflate") }
    if secure, contains(.brotli) { codings.append("br") }
    if secure, contains(.zstd) { codings.append("zstd") }
    return codings.isEmpty ? "identity" : codings.joined(separator: ", ")
  }
}
