import Foundation
@testable import LoadingModel

@testable import ProtocolRules

extension FuzzTarget {
  /// A message of type 2, in pieces: the compiler of Swift 6.2 takes too long over all at once.
  private static let challengeOfNTLM: [UInt8] = {
    var message = Array("NTLMSSP\0".utf8)
    message += [2, 0, 0, 0, 0, 0, 0, 0, 56, 0, 0, 0, 0x33, 0x82, 0x8A, 0xE2, 1, 2, 3, 4, 5, 6, 7, 8]
    message += [UInt8](repeating: 0, count: 8)
    message += [8, 0, 8, 0, 56, 0, 0, 0]
    message += [UInt8](repeating: 0, count: 8)
    message += [2, 0, 4, 0, 0x41, 0, 0x42, 0, 0, 0, 0, 0]
    return message
  }()

  static let authentication = [
    FuzzTarget(
      "authenticate",
      seeds: [
        "Basic realm=\"a\", Digest realm=\"b\", nonce=\"c\", qop=\"auth,auth-int\", algorithm=SHA-256, charset=UTF-8",
        "Negotiate\0NTLM TlRMTVNTUAACAAAA", "Basic, , realm=a b=c", "Digest realm=\"\\\"\", nonce=, opaque=\"",
      ]
    ) { bytes in
      var input = FuzzInput(bytes)
      let headers = HeaderFields(input.texts(atMost: 4).map { ("WWW-Authenticate", $0) })
      for field in AuthenticateField.all("WWW-Authenticate", in: headers) { _ = DigestChallenge(field) }
      let head = ResponseHead(status: 401, headers: headers)
      _ = AuthenticationOffer.all(from: .server, at: Origin(scheme: "https", host: "a.test", port: 443), in: head)
    },
    FuzzTarget(
      "ntlm",
      binary: [challengeOfNTLM]
    ) { bytes in
      _ = NTLMChallenge(Array(bytes))
    },
  ]
}
