import Testing

@testable import HTTPTransport

/// What the environment says about the anchors of trust.
@Suite struct TrustStoreSourceTests {
  @Test func emptyVariablesNameNothing() {
    #expect(TrustStoreSource(environment: [:]) == .system)
    #expect(TrustStoreSource(environment: ["SSL_CERT_FILE": "", "SSL_CERT_DIR": ""]) == .system)
  }

  @Test func bundleAndFoldersAreUsedTogether() {
    let source = TrustStoreSource(environment: ["SSL_CERT_FILE": "/a/own.pem", "SSL_CERT_DIR": "/b:/c"])
    #expect(source == TrustStoreSource(file: "/a/own.pem", folders: ["/b", "/c"]))
  }

  @Test(arguments: ["/etc/ssl/certs", "/etc/ssl/certs/"]) func theFolderOfTheBundleIsNotReadAsWell(_ folder: String) {
    let source = TrustStoreSource(environment: ["SSL_CERT_FILE": "/etc/ssl/certs/ca-certificates.crt", "SSL_CERT_DIR": "\(folder):/c"])
    #expect(source == TrustStoreSource(file: "/etc/ssl/certs/ca-certificates.crt", folders: ["/c"]))
  }

  @Test func foldersAloneAreReadWhateverTheirName() {
    #expect(TrustStoreSource(environment: ["SSL_CERT_DIR": "/etc/ssl/certs"]).folders == ["/etc/ssl/certs"])
  }
}
