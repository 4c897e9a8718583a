import Foundation
import ProtocolRules
import Testing

@Suite struct SecretNamesTests {
  private let names = SecretNames(adding: ["house_key"])

  @Test(arguments: [
    "PRIVATE-TOKEN", "X-Vault-Token", "X-Amz-Security-Token", "X-Goog-Api-Key", "Client-Secret", "X-Auth-Key", "X-Parse-Master-Key",
    "Ocp-Apim-Subscription-Key", "secret_key", "AccountKey", "signing_key", "encryptionKey", "SharedKey",
  ])
  func keysOfServicesAreKnown(_ name: String) {
    #expect(SecretNames().contains(name) && !SecretNames(isOn: false).contains(name))
  }

  @Test(arguments: [
    "password", "PASSWD", "X-Auth-Token", "access.key_id", "Sec_Ret", "jwt-", "S.I.D", "my houseKey", "P_W_D", "sig.", "-otp-",
    "X-Cookie2",
    "k", "-", "", "tokenx", "passing", "Content-Type", "ETag", "Authorization", "\u{FF}sid", "väl-jwt",
  ]) func namesAreKnownHoweverTheyAreSpelled(_ name: String) {
    let plain = String(String.UnicodeScalarView(name.lowercased().unicodeScalars.filter { !"-_. ".unicodeScalars.contains($0) }))
    let endings = ["password", "passwd", "token", "accesskeyid", "secret", "jwt", "authorization"]
    let whole = ["sid", "pwd", "sig", "otp", "housekey"]
    #expect(names.contains(name) == (endings.contains { plain.hasSuffix($0) } || whole.contains(plain)))
    #expect(SecretNames(adding: ["k", "\u{FF}"]).contains("-\u{FF}"))
  }
}
