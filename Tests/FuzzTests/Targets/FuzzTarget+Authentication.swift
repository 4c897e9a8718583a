import Foundation
@testable import LoadingModel

@testable import ProtocolRules

extension FuzzTarget {
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
      binary: [
        Array("NTLMSSP\0".utf8) + [2, 0, 0, 0, 0, 0, 0, 0, 56, 0, 0, 0, 0x33, 0x82, 0x8A, 0xE2] + Array(1...8)
          + Array(repeating: 0, count: 8)
          + [8, 0, 8, 0, 56, 0, 0, 0] + Array(repeating: 0, count: 8) + [2, 0, 4, 0, 0x41, 0, 0x42, 0, 0, 0, 0, 0]
      ]
    ) { bytes in
      _ = NTLMChallenge(Array(bytes))
    },
  ]
}
