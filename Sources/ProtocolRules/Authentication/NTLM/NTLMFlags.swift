/// Capabilities that client and server negotiate (MS-NLMP, 2.2.2.5): only the flags that an authentication without a session needs.
struct NTLMFlags: OptionSet, Sendable {
  let rawValue: UInt32

  static let unicode = NTLMFlags(rawValue: 0x0000_0001)
  static let requestTarget = NTLMFlags(rawValue: 0x0000_0004)
  static let ntlm = NTLMFlags(rawValue: 0x0000_0200)
  static let alwaysSign = NTLMFlags(rawValue: 0x0000_8000)
  static let extendedSessionSecurity = NTLMFlags(rawValue: 0x0008_0000)
  static let targetInfo = NTLMFlags(rawValue: 0x0080_0000)
  static let encryption128 = NTLMFlags(rawValue: 0x2000_0000)
  static let encryption56 = NTLMFlags(rawValue: 0x8000_0000)

  /// The flags that the client offers. No signing, sealing or key exchange: HTTP has no use for a session key.
  static let offered: NTLMFlags = [
    .unicode, .requestTarget, .ntlm, .alwaysSign, .extendedSessionSecurity, .targetInfo, .encryption128, .encryption56,
  ]
}
