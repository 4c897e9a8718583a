/// Which cipher suites, by their IANA numbers, are allowed with which protocol.
package enum CipherSuiteRules {
  /// Whether HTTP/2 may use the suite (RFC 9113, 9.2.2): those of TLS 1.3, and of TLS 1.2 those that appendix A doesn't prohibit, with ephemeral
  /// keys and authenticated encryption.
  package static func allowsHTTP2(_ suite: UInt16) -> Bool {
    switch suite {
    // TLS 1.3.
    case 0x1301...0x1305: true
    // DHE with AES-GCM, for RSA, DSS and PSK authentication.
    case 0x009E, 0x009F, 0x00A2, 0x00A3, 0x00AA, 0x00AB: true
    // ECDHE with AES-GCM, for ECDSA and RSA authentication.
    case 0xC02B, 0xC02C, 0xC02F, 0xC030: true
    // AES-CCM, with DHE and ECDHE.
    case 0xC09E, 0xC09F, 0xC0A2, 0xC0A3, 0xC0A6, 0xC0A7, 0xC0AA, 0xC0AB, 0xC0AC...0xC0AF: true
    // ChaCha20-Poly1305, with ECDHE and DHE.
    case 0xCCA8...0xCCAA, 0xCCAC, 0xCCAD: true
    // ECDHE with PSK.
    case 0xD001, 0xD002, 0xD003, 0xD005: true
    default: false
    }
  }
}
