import LoadingModel
import ProtocolRules
import Testing

struct AuthenticateFieldTests {
  private func parse(_ values: String...) -> [AuthenticateField] {
    AuthenticateField.all("WWW-Authenticate", in: HeaderFields(values.map { ("www-authenticate", $0) }))
  }

  private func shape(_ values: String...) -> [String] {
    AuthenticateField.all("WWW-Authenticate", in: HeaderFields(values.map { ("WWW-Authenticate", $0) })).map { field in
      let parameters = field.parameters.map { "\($0.name)=\($0.value)" }.joined(separator: ";")
      return "\(field.scheme)[\(field.token68 ?? "")|\(parameters)]"
    }
  }

  @Test func oneFieldMayCarryTwoChallenges() {
    // RFC 9110, 11.6.1.
    #expect(
      shape(#"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#)
        == ["basic[|realm=simple]", #"newauth[|realm=apps;type=1;title=Login to "apps"]"#])
  }

  @Test func severalFieldsAreOneList() {
    #expect(shape("Negotiate", "NTLM", #"Basic realm="a""#) == ["negotiate[|]", "ntlm[|]", "basic[|realm=a]"])
    #expect(shape(#"Negotiate, NTLM, Basic realm="a""#) == ["negotiate[|]", "ntlm[|]", "basic[|realm=a]"])
  }

  @Test func tokensAreToldFromParameters() {
    #expect(shape("Negotiate oYG2MIGz==, Basic realm=x") == ["negotiate[oYG2MIGz==|]", "basic[|realm=x]"])
    #expect(shape("NTLM TlRMTVNTUAACAAAA") == ["ntlm[TlRMTVNTUAACAAAA|]"])
    #expect(shape("Digest nonce=abc=def") == ["digest[|nonce=abc=def]"])
  }

  @Test func commasAndEqualsSignsInsideQuotesDoNotSeparate() {
    #expect(
      shape(#"Digest realm="a, Basic realm=b", qop="auth,auth-int", nonce="x==""#)
        == ["digest[|realm=a, Basic realm=b;qop=auth,auth-int;nonce=x==]"])
  }

  @Test func spacesAndEmptyElementsAreAllowed() {
    #expect(shape(#" , Basic  realm = "a" ,, charset="UTF-8" ,"#) == ["basic[|realm=a;charset=UTF-8]"])
    #expect(shape("BASIC\tREALM=a") == ["basic[|realm=a]"])
  }

  @Test func challengeWithoutParametersIsOne() {
    #expect(shape("Basic") == ["basic[|]"])
    #expect(parse("Basic").first?.realm == nil)
  }

  @Test(arguments: ["", ",", "=", "\"", "Basic realm=\"open", "= , =", "Basic =", "Digest nonce=\"a\\", ",,,=x", "\"a\" Basic", "é"])
  func nonsenseEndsTheField(_ value: String) {
    for field in parse(value) { #expect(!field.scheme.isEmpty) }
  }

  @Test func realmLeftOpenIsNoRealm() {
    #expect(parse("Basic realm=\"open").first?.scheme == "basic")
    #expect(parse("Basic realm=\"open").first?.realm == nil)
  }

  @Test func firstOfRepeatedParametersCounts() {
    #expect(parse("Basic realm=a, realm=b").first?.realm == "a")
  }

  @Test func offersAreOrderedByStrength() throws {
    let head = ResponseHead(
      status: 401,
      headers: HeaderFields([
        ("WWW-Authenticate", "Bearer, Basic realm=b, Digest realm=d, nonce=1, algorithm=MD5"),
        ("WWW-Authenticate", "Digest realm=d, nonce=1, algorithm=SHA-256, NTLM, Negotiate, Digest realm=d, nonce=2, algorithm=SHA-1024"),
      ]))
    let offers = AuthenticationOffer.all(from: .server, at: Origin(scheme: "https", host: "h.test", port: 443), in: head)
    #expect(offers.map(\.method) == [.negotiate, .ntlm, .digest, .digest, .basic])
    #expect(offers.compactMap(\.digest?.algorithm) == [.sha256, .md5])
    #expect(offers.map(\.space.realm) == [nil, nil, "d", "d", "b"])
  }

  @Test(arguments: [(4096, 1), (4097, 0)]) func realmBeyondFourKibibytesIsNoOffer(_ length: Int, _ count: Int) {
    let realm = String(repeating: "r", count: length)
    let head = ResponseHead(status: 401, headers: HeaderFields([("WWW-Authenticate", "Basic realm=\"\(realm)\"")]))
    #expect(AuthenticationOffer.all(from: .server, at: Origin(scheme: "https", host: "h.test", port: 443), in: head).count == count)
  }

  @Test func proxyAsksInFieldsOfItsOwn() {
    let head = ResponseHead(
      status: 407, headers: HeaderFields([("Proxy-Authenticate", "Basic realm=p"), ("WWW-Authenticate", "Basic realm=s")]))
    let offers = AuthenticationOffer.all(from: .proxy, at: Origin(scheme: "http", host: "proxy.test", port: 8080), in: head)
    #expect(offers.map(\.space.realm) == ["p"])
    #expect(offers.first?.space.peer == .proxy)
  }
}
