import Cryptography
import Foundation
import LoadingModel

/// What client and server have agreed on in the opening handshake.
package struct WebSocketAgreement: Sendable, Hashable {
  package var subprotocol: String?
  package var compression: WebSocketCompression?

  package init(subprotocol: String? = nil, compression: WebSocketCompression? = nil) {
    self.subprotocol = subprotocol
    self.compression = compression
  }
}

/// The client's side of one opening handshake: over HTTP/1.1 (RFC 6455, 4.1), or as a stream of HTTP/2 (RFC 8441).
package struct WebSocketHandshake: Sendable {
  /// How a WebSocket is opened on its connection.
  package enum Opening: Sendable {
    /// The HTTP/1.1 connection is switched to the WebSocket protocol by a 101.
    case upgrade
    /// A stream of HTTP/2 becomes the tunnel of the WebSocket, by an extended CONNECT and a 2xx.
    case extendedConnect
  }

  private let opening: Opening
  private let key: String
  private var protocols: [String]
  private let offersCompression: Bool

  /// - Parameters:
  ///   - nonce: 16 random bytes, new for each request (RFC 6455, 4.1, 7).
  ///   - protocols: Subprotocols in the client's order of preference.
  package init(_ opening: Opening = .upgrade, nonce: [UInt8], protocols: [String], offersCompression: Bool) {
    self.opening = opening
    key = Data(nonce).base64EncodedString()
    self.protocols = protocols
    self.offersCompression = offersCompression
  }

  /// Adds the handshake's fields to those of a request. Subprotocols that the app has set as a field are offered after the others.
  package mutating func apply(to fields: inout HeaderFields) {
    let own = fields.all("Sec-WebSocket-Protocol").flatMap { FieldCursor.tokens(of: $0) }
    protocols += own.filter { !protocols.contains($0) }
    for name in ["Upgrade", "Sec-WebSocket-Key", "Sec-WebSocket-Version", "Sec-WebSocket-Protocol", "Sec-WebSocket-Extensions"] {
      fields.remove(name)
    }
    switch opening {
    case .upgrade:
      fields.set("Connection", "Upgrade")
      fields.add("Upgrade", "websocket")
      fields.add("Sec-WebSocket-Key", key)
    // RFC 8441, 5: HTTP/2 doesn't have these fields; the pseudo-header ":protocol" takes their place.
    case .extendedConnect: fields.remove("Connection")
    }
    fields.add("Sec-WebSocket-Version", "13")
    if !protocols.isEmpty { fields.add("Sec-WebSocket-Protocol", protocols.joined(separator: ", ")) }
    if offersCompression { fields.add("Sec-WebSocket-Extensions", WebSocketCompression.offer) }
  }

  /// Checks the server's response (RFC 6455, 4.1, the list after "Once the client's opening handshake has been sent").
  package func agreement(_ head: ResponseHead) throws(LoadError) -> WebSocketAgreement {
    switch opening {
    case .upgrade: try checkUpgrade(head)
    case .extendedConnect:
      guard 200..<300 ~= head.status else {
        throw WebSocketHandshake.refused("it answered with status \(head.status) instead of 200; check that the URL is a WebSocket's")
      }
    }
    return WebSocketAgreement(subprotocol: try subprotocol(head.headers), compression: try compression(head.headers))
  }

  private func checkUpgrade(_ head: ResponseHead) throws(LoadError) {
    guard head.status == 101 else {
      throw WebSocketHandshake.refused(
        "it answered with status \(head.status) instead of 101 (Switching Protocols); check that the URL is a WebSocket's")
    }
    guard head.headers.listContains("Upgrade", token: "websocket") else {
      throw WebSocketHandshake.refused("it switched to another protocol than WebSocket")
    }
    guard head.headers.listContains("Connection", token: "upgrade") else {
      throw WebSocketHandshake.refused("its answer lacks \"Connection: Upgrade\"")
    }
    let accepts = head.headers.all("Sec-WebSocket-Accept")
    guard accepts.count == 1, accepts[0].trimmingSpaces() == WebSocketHandshake.accept(for: key) else {
      throw WebSocketHandshake.refused("its Sec-WebSocket-Accept isn't the answer to this request; a cache may be in the way")
    }
  }

  /// The value of `Sec-WebSocket-Accept` for a key (RFC 6455, 4.2.2, 5.4).
  package static func accept(for key: String) -> String {
    Data(HashFunction.sha1.hash(Data((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))).base64EncodedString()
  }

  /// The error if subprotocols can't be asked for; nil if they can (RFC 6455, 4.1, 10: tokens, each once).
  package static func refusal(of protocols: [String]) -> LoadError? {
    if let wrong = protocols.first(where: { !FieldSyntaxRules.isToken($0) }) {
      return LoadError(.badURL, .admission, "“\(wrong)” can't be a subprotocol: use letters, digits and -._~ only")
    }
    guard Set(protocols).count == protocols.count else {
      return LoadError(.badURL, .admission, "a subprotocol is named more than once: name each once")
    }
    return nil
  }

  /// The subprotocol that the server has chosen; it may choose none. RFC 6455, 4.1, 6: one that wasn't offered fails the connection.
  private func subprotocol(_ headers: HeaderFields) throws(LoadError) -> String? {
    let answered = headers.all("Sec-WebSocket-Protocol").map { $0.trimmingSpaces() as String }
    guard let chosen = answered.first else { return nil }
    guard answered.count == 1, protocols.contains(chosen) else {
      throw WebSocketHandshake.refused(
        protocols.isEmpty ? "it chose a subprotocol though none was offered" : "it chose a subprotocol that wasn't offered")
    }
    return chosen
  }

  /// The compression that the server has accepted. RFC 6455, 4.1, 5: an extension that wasn't offered fails the connection, and so do invalid
  /// parameters.
  private func compression(_ headers: HeaderFields) throws(LoadError) -> WebSocketCompression? {
    var result: WebSocketCompression?
    for field in headers.all("Sec-WebSocket-Extensions") {
      var cursor = FieldCursor(field)
      cursor.skipSeparators()
      while !cursor.isAtEnd {
        guard offersCompression, cursor.token() == "permessage-deflate", result == nil else {
          throw WebSocketHandshake.refused("it uses an extension that wasn't offered")
        }
        guard let parameters = WebSocketHandshake.parameters(&cursor), let agreed = WebSocketCompression(answer: parameters) else {
          throw WebSocketHandshake.refused("its parameters of permessage-deflate aren't allowed")
        }
        result = agreed
        cursor.skipSeparators()
      }
    }
    return result
  }

  /// The parameters of an extension, `name`, `name=value` or `name="value"` (RFC 6455, 9.1), up to the next extension; nil if malformed.
  private static func parameters(_ cursor: inout FieldCursor) -> [(name: String, value: String?)]? {
    var result: [(name: String, value: String?)] = []
    cursor.skipSpace()
    while cursor.take(UInt8(ascii: ";")) {
      cursor.skipSpace()
      guard let parameter = cursor.parameter() else { return nil }
      result.append(parameter)
    }
    return cursor.isAtElementEnd ? result : nil
  }

  private static func refused(_ why: String) -> LoadError {
    LoadError(.badServerResponse, .head, "the server didn't open a WebSocket: \(why)")
  }
}
