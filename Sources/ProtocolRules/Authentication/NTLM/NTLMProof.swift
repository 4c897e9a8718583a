import Cryptography

/// The responses that prove the password to the server: NTLMv2's (MS-NLMP, 3.3.2). Those of NTLMv1 and LM are never sent.
struct NTLMProof: Sendable {
  let lmResponse: [UInt8]
  let ntResponse: [UInt8]
  let sessionBaseKey: [UInt8]

  /// - Parameters:
  ///   - clientChallenge: 8 random bytes.
  ///   - time: 8 bytes, in units of 100 ns since 1601: the server's time, or the client's if the server sent none.
  ///   - targetInfo: The target information as the client sends it back.
  ///   - omitsLM: Whether zeros are sent in place of the LMv2 response, because the server sent its time.
  init(
    identity: NTLMIdentity, password: String, serverChallenge: [UInt8], clientChallenge: [UInt8], time: [UInt8], targetInfo: NTLMTargetInfo,
    omitsLM: Bool
  ) {
    let key = NTLMProof.responseKey(identity: identity, password: password)
    // Statements, not one expression: older compilers take minutes over a sum of that many arrays.
    var temp: [UInt8] = [1, 1, 0, 0, 0, 0, 0, 0]
    temp += time
    temp += clientChallenge
    temp += [0, 0, 0, 0]
    temp += targetInfo.bytes
    temp += [0, 0, 0, 0]
    let proof = hmacMD5(key: key, serverChallenge + temp)
    ntResponse = proof + temp
    sessionBaseKey = hmacMD5(key: key, proof)
    // MS-NLMP, 3.1.5.1.2: with a timestamp from the server the client sends zeros.
    lmResponse =
      omitsLM ? [UInt8](repeating: 0, count: 24) : hmacMD5(key: key, serverChallenge + clientChallenge) + clientChallenge
  }

  /// NTOWFv2 (MS-NLMP, 3.3.2): the key that is derived from password, user and domain.
  static func responseKey(identity: NTLMIdentity, password: String) -> [UInt8] {
    hmacMD5(key: HashFunction.md4.hash(password.utf16LittleEndian), (uppercase(identity.user) + identity.domain).utf16LittleEndian)
  }

  /// Changes letters to upper case one by one, as Windows does: `ß` stays one character.
  private static func uppercase(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let mapped = scalar.properties.uppercaseMapping.unicodeScalars
      result.append(mapped.count == 1 ? mapped.first ?? scalar : scalar)
    }
    return String(result)
  }
}

func hmacMD5(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
  HashFunction.md5.authenticationCode(of: message, key: key)
}
