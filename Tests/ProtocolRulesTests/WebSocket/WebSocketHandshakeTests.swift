import LoadingModel
import Testing

@testable import ProtocolRules

@Suite struct WebSocketHandshakeTests {
  /// The nonce of RFC 6455, 1.3.
  private static let nonce = Array("the sample nonce".utf8)
  private static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

  private func agreement(
    _ fields: [(name: String, value: String)] = [], status: Int = 101, protocols: [String] = [], compression: Bool = false,
    accept: String = WebSocketHandshakeTests.accept, upgrade: String = "WebSocket", connection: String = "keep-alive, Upgrade"
  ) throws -> WebSocketAgreement {
    let handshake = WebSocketHandshake(nonce: Self.nonce, protocols: protocols, offersCompression: compression)
    let standard = [("Upgrade", upgrade), ("Connection", connection), ("Sec-WebSocket-Accept", accept)]
    return try handshake.agreement(ResponseHead(status: status, headers: HeaderFields(standard + fields)))
  }

  private func isRefused(_ body: () throws -> WebSocketAgreement) -> Bool {
    do {
      _ = try body()
      return false
    } catch {
      return (error as? LoadError)?.kind == .badServerResponse
    }
  }

  @Test func theSampleOfTheRFCIsAnswered() {
    #expect(WebSocketHandshake.accept(for: "dGhlIHNhbXBsZSBub25jZQ==") == Self.accept)
  }

  @Test func fieldsAreThoseOfTheHandshake() {
    var handshake = WebSocketHandshake(nonce: Self.nonce, protocols: ["chat"], offersCompression: true)
    var fields = HeaderFields([
      ("Host", "a"), ("Connection", "keep-alive"), ("sec-websocket-key", "x"), ("Sec-WebSocket-Protocol", "superchat, chat"),
      ("Sec-WebSocket-Extensions", "foo"),
    ])
    handshake.apply(to: &fields)
    #expect(fields.first("Connection") == "Upgrade")
    #expect(fields.first("Upgrade") == "websocket")
    #expect(fields.all("Sec-WebSocket-Key") == ["dGhlIHNhbXBsZSBub25jZQ=="])
    #expect(fields.first("Sec-WebSocket-Version") == "13")
    #expect(fields.all("Sec-WebSocket-Protocol") == ["chat, superchat"])
    #expect(fields.all("Sec-WebSocket-Extensions") == ["permessage-deflate; client_max_window_bits"])
  }

  /// RFC 8441, 5: the fields that make an upgrade have no place in HTTP/2.
  @Test func fieldsOfAStreamSpeakOfNoConnection() {
    var handshake = WebSocketHandshake(.extendedConnect, nonce: Self.nonce, protocols: ["chat"], offersCompression: true)
    var fields = HeaderFields([("Host", "a"), ("Connection", "keep-alive"), ("Upgrade", "x"), ("Sec-WebSocket-Key", "x")])
    handshake.apply(to: &fields)
    #expect(
      fields.entries.map(\.name) == ["Host", "Sec-WebSocket-Version", "Sec-WebSocket-Protocol", "Sec-WebSocket-Extensions"])
  }

  @Test func aStreamIsOpenedByAnySuccess() throws {
    func agreement(_ status: Int, _ fields: [(name: String, value: String)] = []) throws -> WebSocketAgreement {
      try WebSocketHandshake(.extendedConnect, nonce: Self.nonce, protocols: ["chat"], offersCompression: false)
        .agreement(ResponseHead(status: status, headers: HeaderFields(fields)))
    }
    #expect(try agreement(200, [("sec-websocket-protocol", "chat")]) == WebSocketAgreement(subprotocol: "chat"))
    for status in [101, 199, 300, 403, 501] { #expect(isRefused { try agreement(status) }) }
    #expect(isRefused { try agreement(200, [("sec-websocket-protocol", "other")]) })
    #expect(isRefused { try agreement(200, [("sec-websocket-extensions", "permessage-deflate")]) })
  }

  @Test func aRightAnswerIsAgreement() throws { #expect(try agreement() == WebSocketAgreement()) }

  @Test func eachPartOfTheAnswerIsChecked() {
    #expect(isRefused { try agreement(status: 200) })
    #expect(isRefused { try agreement(accept: "x") })
    #expect(isRefused { try agreement(upgrade: "h2c") })
    #expect(isRefused { try agreement(connection: "keep-alive") })
    #expect(isRefused { try agreement([("Sec-WebSocket-Accept", Self.accept)]) })
  }

  @Test func subprotocolsMustHaveBeenOffered() throws {
    #expect(try agreement([("Sec-WebSocket-Protocol", "b")], protocols: ["a", "b"]).subprotocol == "b")
    #expect(try agreement(protocols: ["a"]).subprotocol == nil)
    #expect(isRefused { try agreement([("Sec-WebSocket-Protocol", "c")], protocols: ["a", "b"]) })
    #expect(isRefused { try agreement([("Sec-WebSocket-Protocol", "a")]) })
    #expect(isRefused { try agreement([("Sec-WebSocket-Protocol", "a, b")], protocols: ["a", "b"]) })
  }

  @Test func subprotocolsAreTokensEachOnce() {
    #expect(WebSocketHandshake.refusal(of: ["chat", "v1.example"]) == nil)
    #expect(WebSocketHandshake.refusal(of: ["a b"])?.kind == .badURL)
    #expect(WebSocketHandshake.refusal(of: ["a", "a"])?.kind == .badURL)
    #expect(WebSocketHandshake.refusal(of: [""])?.kind == .badURL)
  }

  @Test func parametersOfCompressionAreUnderstood() throws {
    func answer(_ value: String) throws -> WebSocketCompression? {
      try agreement([("Sec-WebSocket-Extensions", value)], compression: true).compression
    }
    #expect(try answer("permessage-deflate") == WebSocketCompression())
    var all = WebSocketCompression()
    (all.serverForgets, all.clientForgets, all.serverWindowBits, all.clientWindowBits) = (true, true, 10, 9)
    let text =
      "permessage-deflate; server_no_context_takeover ;client_no_context_takeover; server_max_window_bits=10; client_max_window_bits=\"9\""
    #expect(try answer(text) == all)
  }

  @Test(arguments: 8...15) func everyWindowIsUnderstood(bits: Int) throws {
    let value = "permessage-deflate; server_max_window_bits=\(bits); client_max_window_bits=\(bits)"
    let terms = try #require(try agreement([("Sec-WebSocket-Extensions", value)], compression: true).compression)
    #expect(terms.serverWindowBits == bits && terms.clientWindowBits == bits)
  }

  @Test(arguments: [
    "permessage-deflate; server_max_window_bits=16", "permessage-deflate; server_max_window_bits=7",
    "permessage-deflate; server_max_window_bits", "permessage-deflate; server_max_window_bits=010",
    "permessage-deflate; client_max_window_bits", "permessage-deflate; server_no_context_takeover=1", "permessage-deflate; foo",
    "permessage-deflate; server_no_context_takeover; server_no_context_takeover", "permessage-deflate;", "x-webkit-deflate-frame",
    "permessage-deflate, permessage-deflate",
  ])
  func extensionsThatMakeNoSenseAreRefused(value: String) {
    #expect(isRefused { try agreement([("Sec-WebSocket-Extensions", value)], compression: true) })
  }

  @Test func extensionsThatWereNotOfferedAreRefused() {
    #expect(isRefused { try agreement([("Sec-WebSocket-Extensions", "permessage-deflate")]) })
  }
}
