import LoadingModel
import ProtocolRules
import Testing

struct SOCKSHandshakeTests {
  private func proxy(_ kind: Proxy.Kind, _ login: Proxy.Login? = nil) -> Proxy { Proxy(kind, host: "p", port: 1, login: login) }
  private let origin = Origin(scheme: "https", host: "host.example", port: 443)
  private let login = Proxy.Login(user: "us", password: "pw")

  @Test func fiveWithoutLoginSendsTheNameToTheProxy() throws {
    var handshake = try SOCKSHandshake(proxy(.socks5h), to: origin, address: nil)
    #expect(handshake.opening == [5, 1, 0])
    #expect(try handshake.receive([5]) == .more)
    #expect(try handshake.receive([0]) == .send([5, 1, 0, 3, 12] + Array("host.example".utf8) + [1, 0xBB]))
    #expect(try handshake.receive([5, 0, 0, 1, 127, 0, 0, 1, 0]) == .more)
    #expect(try handshake.receive([80]) == .open)
  }

  @Test func fiveWithLoginProvesItselfWhenAsked() throws {
    var handshake = try SOCKSHandshake(proxy(.socks5, login), to: origin, address: IPAddress("10.0.0.1"))
    #expect(handshake.opening == [5, 2, 0, 2])
    #expect(try handshake.receive([5, 2]) == .send([1, 2] + Array("us".utf8) + [2] + Array("pw".utf8)))
    #expect(try handshake.receive([1, 0]) == .send([5, 1, 0, 1, 10, 0, 0, 1, 1, 0xBB]))
    #expect(try handshake.receive([5, 0, 0, 3, 2, 65, 66, 0, 80]) == .open)
  }

  @Test func fiveKnowsIPv6() throws {
    let origin = Origin(scheme: "http", host: "::1", port: 80)
    var handshake = try SOCKSHandshake(proxy(.socks5h), to: origin, address: nil)
    let request: [UInt8] = [5, 1, 0, 4] + [UInt8](repeating: 0, count: 15) + [1, 0, 80]
    #expect(try handshake.receive([5, 0]) == .send(request))
    #expect(try handshake.receive([5, 0, 0, 4] + [UInt8](repeating: 0, count: 18)) == .open)
  }

  @Test func fourSendsAnAddressAndFourAAName() throws {
    var four = try SOCKSHandshake(proxy(.socks4, login), to: origin, address: IPAddress("10.0.0.1"))
    #expect(four.opening == [4, 1, 1, 0xBB, 10, 0, 0, 1] + Array("us".utf8) + [0])
    #expect(try four.receive([0, 90, 0, 0, 0, 0, 0, 0]) == .open)
    let named = try SOCKSHandshake(proxy(.socks4a), to: origin, address: nil)
    #expect(named.opening == [4, 1, 1, 0xBB, 0, 0, 0, 1, 0] + Array("host.example".utf8) + [0])
  }

  @Test(
    arguments: [
      ([5, 0xFF], .socks5NoMethod), ([5, 1], .socks5NoMethod), ([4, 0], .socks5BadState), ([72, 84, 84, 80], .socks5BadState),
    ] as [([UInt8], ProxyFault.Code)])
  func fiveRefusesWhatItCannotAnswer(_ bytes: [UInt8], _ code: ProxyFault.Code) throws {
    var handshake = try SOCKSHandshake(proxy(.socks5h), to: origin, address: nil)
    let error = try #require(throws: LoadError.self) { try handshake.receive(bytes) }
    #expect(error.proxy?.code == code)
    #expect(error.kind == .cannotConnectToHost)
  }

  @Test func fiveKeepsWhatAStreamsServerSaysFirst() throws {
    let reply: [UInt8] = [5, 0, 0, 1, 0, 0, 0, 0, 0, 0] + Array("220".utf8)
    var handshake = try SOCKSHandshake(proxy(.socks5h), to: Origin(scheme: Origin.streamScheme, host: "a.test", port: 25), address: nil)
    _ = try handshake.receive([5, 0])
    #expect(try handshake.receive(reply) == .open)
    #expect(handshake.takeGreeting() == Array("220".utf8))
    // In HTTP it is the client that sends first.
    var http = try SOCKSHandshake(proxy(.socks5h), to: origin, address: nil)
    _ = try http.receive([5, 0])
    let error = try #require(throws: LoadError.self) { try http.receive(reply) }
    #expect(error.proxy?.code == .socks5BadState)
  }

  @Test func fiveTellsAWrongPasswordApart() throws {
    var handshake = try SOCKSHandshake(proxy(.socks5h, login), to: origin, address: nil)
    _ = try handshake.receive([5, 2])
    let error = try #require(throws: LoadError.self) { try handshake.receive([1, 1]) }
    #expect(error.kind == .userAuthenticationRequired && error.proxy?.code == .socks5BadCredentials)
    #expect(!error.message.contains("pw"))
  }

  @Test(arguments: [UInt8(1), 2, 3, 4, 5, 6, 7, 8, 99])
  func fiveExplainsWhyThereIsNoConnection(_ status: UInt8) throws {
    var handshake = try SOCKSHandshake(proxy(.socks5h), to: origin, address: nil)
    _ = try handshake.receive([5, 0])
    // Two bytes are enough: the proxy may close behind them.
    let error = try #require(throws: LoadError.self) { try handshake.receive([5, status]) }
    #expect(error.kind == .cannotConnectToHost)
  }

  @Test(
    arguments: [(91, .socks4Rejected), (92, .socks4NoIdentd), (93, .socks4OtherUser), (7, .socks4UnknownStatus)]
      as [(UInt8, ProxyFault.Code)])
  func fourExplainsItsRefusals(_ status: UInt8, _ code: ProxyFault.Code) throws {
    var handshake = try SOCKSHandshake(proxy(.socks4a), to: origin, address: nil)
    let error = try #require(throws: LoadError.self) { try handshake.receive([0, status, 0, 0, 0, 0, 0, 0]) }
    #expect(error.proxy?.code == code)
  }

  @Test func bytesThatNobodyAskedForEndIt() throws {
    var four = try SOCKSHandshake(proxy(.socks4a), to: origin, address: nil)
    #expect(throws: LoadError.self) { try four.receive([0, 90, 0, 0, 0, 0, 0, 0, 1]) }
    var five = try SOCKSHandshake(proxy(.socks5h), to: origin, address: nil)
    #expect(throws: LoadError.self) { try five.receive([5, 0, 0]) }
    var garbage = try SOCKSHandshake(proxy(.socks4a), to: origin, address: nil)
    #expect(throws: LoadError.self) { try garbage.receive([72]) }
  }

  @Test func whatDoesNotFitIsRefusedBeforeItIsSent() {
    let long = Origin(scheme: "http", host: String(repeating: "a", count: 256), port: 80)
    let wide = Proxy.Login(user: String(repeating: "u", count: 256), password: "")
    #expect(throws: LoadError.self) { try SOCKSHandshake(proxy(.socks5h), to: long, address: nil) }
    #expect(throws: LoadError.self) { try SOCKSHandshake(proxy(.socks4a), to: long, address: nil) }
    #expect(throws: LoadError.self) { try SOCKSHandshake(proxy(.socks5h, wide), to: origin, address: nil) }
    #expect(throws: LoadError.self) { try SOCKSHandshake(proxy(.socks4a, wide), to: origin, address: nil) }
    #expect(throws: LoadError.self) { try SOCKSHandshake(proxy(.socks4), to: origin, address: IPAddress("::1")) }
  }

  @Test func connectNamesHostAndPortAndNothingElse() {
    #expect(
      ConnectRules.head(origin, authorization: "Basic eA==")
        == "CONNECT host.example:443 HTTP/1.1\r\nHost: host.example:443\r\nProxy-Authorization: Basic eA==\r\n\r\n")
    #expect(ConnectRules.target(Origin(scheme: "wss", host: "::1", port: 9)) == "[::1]:9")
  }
}
