/// The client's two messages (MS-NLMP, 2.2.1.1 and 2.2.1.3). Pure: random bytes and time are handed in.
enum NTLMMessages {
  /// NEGOTIATE: what the client can do. Names neither domain nor workstation: both would be sent before either side is authenticated.
  static var negotiate: [UInt8] {
    NTLMChallenge.signature + UInt32(1).littleEndianBytes + NTLMFlags.offered.rawValue.littleEndianBytes + [UInt8](repeating: 0, count: 16)
  }

  /// AUTHENTICATE: the client's identity, and the proof.
  ///
  /// - Parameters:
  ///   - clientChallenge: 8 random bytes.
  ///   - time: The client's time, in units of 100 ns since 1601; used if the server doesn't send its own.
  static func authenticate(
    _ challenge: NTLMChallenge, identity: NTLMIdentity, password: String, workstation: String = "", clientChallenge: [UInt8], time: UInt64
  ) -> [UInt8] {
    let serverTime = challenge.targetInfo.timestamp
    // MS-NLMP, 3.1.5.1.2: an integrity code is added where the server sends its time.
    let info = serverTime == nil ? challenge.targetInfo : challenge.targetInfo.announcingIntegrityCode()
    let proof = NTLMProof(
      identity: identity, password: password, serverChallenge: challenge.serverChallenge, clientChallenge: clientChallenge,
      time: serverTime ?? time.littleEndianBytes, targetInfo: info, omitsLM: serverTime != nil)
    let flags = challenge.flags.intersection(.offered)
    guard serverTime != nil else {
      return assemble(flags, identity, workstation, proof, integrityCode: nil)
    }
    let blank = assemble(flags, identity, workstation, proof, integrityCode: [UInt8](repeating: 0, count: 16))
    // Without key exchange the exported session key is the session base key (MS-NLMP, 3.4.5.1).
    let code = hmacMD5(key: proof.sessionBaseKey, negotiate + challenge.bytes + blank)
    return assemble(flags, identity, workstation, proof, integrityCode: code)
  }

  private static func assemble(
    _ flags: NTLMFlags, _ identity: NTLMIdentity, _ workstation: String, _ proof: NTLMProof, integrityCode: [UInt8]?
  ) -> [UInt8] {
    // The order of the payload is free; this is that of MS-NLMP's example.
    let names = [identity.domain, identity.user, workstation].map(\.utf16LittleEndian)
    // The version, 8 bytes, is all zero: NTLMSSP_NEGOTIATE_VERSION isn't offered.
    let fixed = 64 + 8 + (integrityCode?.count ?? 0)
    var payload: [UInt8] = []
    func field(_ value: [UInt8]) -> [UInt8] {
      let length = UInt16(clamping: value.count).littleEndianBytes
      let offset = UInt32(fixed + payload.count).littleEndianBytes
      payload += value
      return length + length + offset
    }
    let nameFields = names.map(field)
    let lm = field(proof.lmResponse)
    let nt = field(proof.ntResponse)
    let sessionKey = field([])
    // Statements, not one expression: older compilers take minutes over a sum of that many arrays.
    var message = NTLMChallenge.signature
    message += UInt32(3).littleEndianBytes
    message += lm
    message += nt
    for name in nameFields { message += name }
    message += sessionKey
    message += flags.rawValue.littleEndianBytes
    message += [UInt8](repeating: 0, count: 8)
    message += integrityCode ?? []
    message += payload
    return message
  }
}
