import LoadingModel
import ProtocolRules
import Testing

@Suite struct FTPSecurityTests {
  @Test(
    arguments: [
      ("ftp", 21, FTPSecurity.none), ("ftp", 990, .none), ("ftps", 990, .implicit), ("ftps", 2121, .implicit), ("ftps", 21, .explicit),
    ]) func schemeAndPortSayHowAConnectionIsSecured(_ scheme: String, _ port: Int, _ security: FTPSecurity)
  {
    #expect(FTPSecurity(Origin(scheme: scheme, host: "files.example", port: port)) == security)
  }
}
