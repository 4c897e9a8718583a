/// The server's CHALLENGE message (MS-NLMP, 2.2.1.2).
struct NTLMChallenge: Equatable, Sendable {
  static let signature = Array("NTLMSSP\0".utf8)

  /// The message as it was received: the message integrity code is computed over it.
  let bytes: [UInt8]
  let flags: NTLMFlags
  let serverChallenge: [UInt8]
  /// The target information as it was received; empty if the server sent none.
  let targetInfo: NTLMTargetInfo

  /// Nil if `bytes` aren't a CHALLENGE message.
  init?(_ bytes: [UInt8]) {
    let reader = LittleEndianReader(bytes: bytes)
    guard reader.slice(at: 0, count: 8) == NTLMChallenge.signature, reader.uint32(at: 8) == 2, let flags = reader.uint32(at: 20),
      let challenge = reader.slice(at: 24, count: 8)
    else { return nil }
    self.bytes = bytes
    self.flags = NTLMFlags(rawValue: flags)
    serverChallenge = challenge
    guard self.flags.contains(.targetInfo) else {
      targetInfo = NTLMTargetInfo()
      return
    }
    guard let length = reader.uint16(at: 40), let offset = reader.uint32(at: 44),
      let list = reader.slice(at: Int(offset), count: Int(length)),
      let info = list.isEmpty ? NTLMTargetInfo() : NTLMTargetInfo(list)
    else { return nil }
    targetInfo = info
  }
}
