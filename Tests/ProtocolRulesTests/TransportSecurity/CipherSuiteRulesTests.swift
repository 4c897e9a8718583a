import Testing

@testable import ProtocolRules

@Suite struct CipherSuiteRulesTests {
  /// RFC 9113, 9.2.2: TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 must be there; appendix A forbids what has no ephemeral keys, and block ciphers.
  @Test func http2NeedsEphemeralKeysAndAuthenticatedEncryption() {
    for suite: UInt16 in [0x1301, 0x1303, 0xC02B, 0xC02F, 0xC030, 0xCCA8, 0xCCA9, 0x009E] { #expect(CipherSuiteRules.allowsHTTP2(suite)) }
    // RSA with AES-CBC and AES-GCM, ECDHE with AES-CBC, NULL, RC4.
    for suite: UInt16 in [0x002F, 0x0035, 0x009C, 0x009D, 0xC013, 0xC014, 0xC009, 0xC027, 0x0000, 0x0005] {
      #expect(!CipherSuiteRules.allowsHTTP2(suite))
    }
  }
}
