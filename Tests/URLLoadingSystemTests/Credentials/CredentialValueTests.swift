import Foundation
import Testing

@testable import URLLoadingSystem

struct CredentialValueTests {
  private let certificate = SecCertificate(derRepresentation: Data([1, 2, 3]))

  @Test func passwordCredentialsHoldUserAndPassword() {
    let credential = URLCredential(user: "u", password: "p", persistence: .forSession)
    #expect(credential.user == "u")
    #expect(credential.password == "p")
    #expect(credential.hasPassword)
    #expect(credential.persistence == .forSession)
    #expect(credential.identity == nil)
    #expect(credential.certificates.isEmpty)
  }

  @Test func identitiesAndTrustsHaveNoPassword() {
    let identity = SecIdentity(certificate: certificate, privateKeyDER: Data([9]))
    let client = URLCredential(identity: identity, certificates: [certificate, "no certificate"], persistence: .none)
    #expect(client.identity == identity)
    #expect(client.certificates.count == 1)
    #expect(client.user == nil)
    #expect(!client.hasPassword)
    let trust = URLCredential(trust: SecTrust(chain: [certificate], host: "h.test"))
    #expect(trust == URLCredential(forTrust: SecTrust(chain: [certificate], host: "h.test")))
    #expect(trust.password == nil)
  }

  @Test func equalityIsByValue() {
    let credential = URLCredential(user: "u", password: "p", persistence: .none)
    #expect(credential == URLCredential(user: "u", password: "p", persistence: .none))
    #expect(credential.hash == URLCredential(user: "u", password: "p", persistence: .none).hash)
    #expect(credential != URLCredential(user: "u", password: "q", persistence: .none))
    #expect(credential != URLCredential(user: "u", password: "p", persistence: .permanent))
    #expect(credential.copy() as? URLCredential == credential)
  }

  @Test func passwordsStayOutOfTexts() {
    let credential = URLCredential(user: "u", password: "topsecret", persistence: .none)
    var dumped = ""
    dump(credential, to: &dumped)
    #expect(!"\(credential)".contains("topsecret"))
    #expect(!dumped.contains("topsecret"))
    let identity = SecIdentity(certificate: certificate, privateKeyDER: Data("topsecret".utf8))
    dump(identity, to: &dumped)
    // A byte on a line of its own: addresses may have the same figures.
    #expect(!dumped.contains("- 115\n"))
  }

  @Test func passwordCredentialsAreArchivedAndOthersAreNot() throws {
    let credential = URLCredential(user: "u", password: "p", persistence: .permanent)
    let data = try NSKeyedArchiver.archivedData(withRootObject: credential, requiringSecureCoding: true)
    #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: URLCredential.self, from: data) == credential)
    let trust = URLCredential(trust: SecTrust(chain: [], host: "h.test"))
    let empty = try NSKeyedArchiver.archivedData(withRootObject: trust, requiringSecureCoding: true)
    #expect((try? NSKeyedUnarchiver.unarchivedObject(ofClass: URLCredential.self, from: empty)) == nil)
  }

  @Test func serverSpacesHaveAProtocolAndProxySpacesAType() {
    let server = URLProtectionSpace(
      host: "h.test", port: 8080, protocol: NSURLProtectionSpaceHTTP, realm: "r", authenticationMethod: nil)
    #expect(!server.isProxy())
    #expect(server.protocol == NSURLProtectionSpaceHTTP)
    #expect(server.proxyType == nil)
    #expect(server.realm == "r")
    #expect(server.authenticationMethod == NSURLAuthenticationMethodDefault)
    let proxy = URLProtectionSpace(
      proxyHost: "p.test", port: 1080, type: NSURLProtectionSpaceSOCKSProxy, realm: nil,
      authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    #expect(proxy.isProxy())
    #expect(proxy.protocol == nil)
    #expect(proxy.proxyType == NSURLProtectionSpaceSOCKSProxy)
  }

  @Test func spacesAreHashableByValue() {
    func space(_ host: String, _ port: Int, realm: String? = "r", method: String? = nil) -> URLProtectionSpace {
      URLProtectionSpace(host: host, port: port, protocol: NSURLProtectionSpaceHTTPS, realm: realm, authenticationMethod: method)
    }
    #expect(space("h.test", 443) == space("H.TEST", 0))
    #expect(space("h.test", 443).hash == space("H.TEST", 0).hash)
    #expect(space("h.test", 443) != space("h.test", 444))
    #expect(space("h.test", 443) != space("h.test", 443, realm: nil))
    #expect(space("h.test", 443) != space("h.test", 443, method: NSURLAuthenticationMethodHTTPDigest))
    let proxy = URLProtectionSpace(
      proxyHost: "h.test", port: 443, type: NSURLProtectionSpaceHTTPS, realm: "r", authenticationMethod: nil)
    #expect(space("h.test", 443) != proxy)
  }

  @Test(arguments: [
    (NSURLProtectionSpaceHTTPS, NSURLAuthenticationMethodHTTPBasic, true),
    (NSURLProtectionSpaceHTTP, NSURLAuthenticationMethodHTTPBasic, false),
    (NSURLProtectionSpaceHTTP, NSURLAuthenticationMethodHTTPDigest, true),
    (NSURLProtectionSpaceHTTP, NSURLAuthenticationMethodDefault, false),
    (NSURLProtectionSpaceHTTP, NSURLAuthenticationMethodNTLM, true),
  ])
  func securityIsOfConnectionOrMethod(_ name: String, _ method: String, _ isSecure: Bool) {
    let space = URLProtectionSpace(host: "h.test", port: 0, protocol: name, realm: nil, authenticationMethod: method)
    #expect(space.receivesCredentialSecurely == isSecure)
  }

  @Test func tlsSpacesCarryTrustAndIssuers() {
    let trust = SecTrust(chain: [certificate], host: "h.test")
    let space = URLProtectionSpace(serverTrust: trust, port: 443)
    #expect(space.serverTrust == trust)
    #expect(space.host == "h.test")
    #expect(space.authenticationMethod == NSURLAuthenticationMethodServerTrust)
    let client = URLProtectionSpace(clientCertificateFor: "h.test", port: 443, issuers: [Data([5])])
    #expect(client.distinguishedNames == [Data([5])])
    #expect(client.serverTrust == nil)
  }

  @Test func descriptionOfASpaceHasDarwinsForm() {
    let server = URLProtectionSpace(
      host: "h.test", port: 443, protocol: "https", realm: "r", authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    #expect(server.description.hasPrefix("<URLProtectionSpace: 0x"))
    #expect(
      server.description.hasSuffix(
        ": Host:h.test, Server:https, Auth-Scheme:NSURLAuthenticationMethodHTTPBasic, Realm:r, Port:443, Proxy:NO, Proxy-Type:(null)>"))
    let proxy = URLProtectionSpace(proxyHost: "p.test", port: 1, type: "http", realm: nil, authenticationMethod: nil)
    #expect(
      proxy.description.hasSuffix(
        ": Host:p.test, Server:(null), Auth-Scheme:NSURLAuthenticationMethodDefault, Realm:(null), Port:1, Proxy:YES, Proxy-Type:http>"))
  }

  @Test func spacesAreArchived() throws {
    let spaces = [
      URLProtectionSpace(host: "h.test", port: 1, protocol: "http", realm: "r", authenticationMethod: nil),
      URLProtectionSpace(proxyHost: "h.test", port: 1, type: nil, realm: nil, authenticationMethod: NSURLAuthenticationMethodNTLM),
    ]
    for space in spaces {
      let data = try NSKeyedArchiver.archivedData(withRootObject: space, requiringSecureCoding: true)
      #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: URLProtectionSpace.self, from: data) == space)
    }
  }
}
