import Foundation
@testable import LoadingModel
import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP1
import NIOWebSocket

@testable import HTTPTransport
@testable import ProtocolRules

/// Parsers beside SwiftNIO's: what both accept, both must understand alike. SECURITY.md has what one of them refuses alone.
extension FuzzTarget {
  static let differences = [
    FuzzTarget(
      "http1-beside-nio",
      seeds: [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Type: text/plain\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=\"y\"\r\nhello\r\n0\r\nA: b\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n",
        "HTTP/1.0 204\r\nA:  b \r\nA: c\r\n\r\n",
      ]
    ) { bytes in
      guard let own = ownResponse(bytes), let other = nioResponse(bytes) else { return }
      expect(own == other, "ours: \(own), NIO's: \(other)")
    },
    FuzzTarget(
      "hpack-beside-nio",
      binary: [
        [9, 0x88, 0x40, 1, 0x61, 1, 0x62, 0xBE, 0x3F, 0x81, 0x1F],
        [40, 0x88, 0x0F, 0x0D, 1, 0x35, 0x48, 0x82, 0x64, 0x02, 0x10, 1, 0x63, 0],
        [20, 0x20, 0x3F, 0xE1, 0x1F, 0x88, 0x61, 0x96, 0xD0, 0x7A, 0xBE, 0x94, 0x10, 0x54],
      ]
    ) { bytes in
      var input = FuzzInput(bytes)
      var own = HTTPTransport.HPACKDecoder()
      var other = NIOHPACK.HPACKDecoder(
        allocator: ByteBufferAllocator(), maxDynamicTableSize: 4096, maxHeaderListSize: FieldSection.sizeLimit)
      for piece in input.pieces() {
        var section = FieldSection()
        var buffer = ByteBuffer(bytes: piece)
        do { try Array(piece).withUnsafeBytes { try own.decode($0, into: &section) } } catch { return }
        guard let theirs = try? other.decodeHeaders(from: &buffer) else { return }
        guard section.flaw == nil else { continue }
        let regular = theirs.filter { $0.name != ":status" }.map { "\($0.name): \($0.value)" }
        let ours = section.fields.map { "\($0.name): \($0.value)" }
        expect(ours == regular || !regular.allSatisfy(isPlain), "ours: \(ours), NIO's: \(regular)")
        expect(section.status == theirs.first(name: ":status").flatMap { Int($0) }, "\(section.status ?? 0)")
      }
    },
    FuzzTarget(
      "websocket-beside-nio",
      binary: [
        [0x81, 5] + Array("hello".utf8) + [0x89, 0, 0x88, 2, 3, 0xE8], [0x01, 1, 0x61, 0x8A, 1, 0x62, 0x80, 1, 0x63],
        [0x82, 0x7E, 0, 126] + Array(repeating: 1, count: 126), [0x82, 0x7F, 0, 0, 0, 0, 0, 0, 0, 1, 9],
      ]
    ) { bytes in
      let (own, isOver) = ownMessages(bytes)
      let other = nioMessages(bytes)
      expect(other.starts(with: own), "ours: \(own), NIO's: \(other)")
      expect(isOver || own.count == other.count, "NIO has more: \(other)")
    },
  ]

  /// Neither has characters that the two show differently: bytes that aren't UTF-8 are Latin-1 here.
  private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }

  // MARK: HTTP/1

  private struct Response: Equatable {
    var status = 0
    var fields: [String] = []
    var body: [UInt8] = []
    var trailers: [String] = []
  }

  /// The first final response, if it is whole before the connection ends.
  private static func ownResponse(_ bytes: ArraySlice<UInt8>) -> Response? {
    var (reader, response) = (ResponseReader(), Response())
    reader.expectHead()
    reader.append(ByteBuffer(bytes: bytes))
    do throws(LoadError) {
      while let event = try reader.next() {
        switch event {
        case .head(let head, length: _):
          if (100..<200).contains(head.status), head.status != 101 {
            reader.expectHead()
            continue
          }
          response.status = head.status
          response.fields = head.headers.entries.map { "\($0.name): \($0.value)" }
          reader.read(body: try ResponseBodyRules.framing(method: "GET", head: head))
        case .body(let body): response.body += body.readableBytesView
        case .end(let trailers):
          response.trailers = trailers.map { "\($0.name): \($0.value)" }
          return (response.fields + response.trailers).allSatisfy(isPlain) ? response : nil
        }
      }
    } catch {
      return nil
    }
    return nil
  }

  private static func nioResponse(_ bytes: ArraySlice<UInt8>) -> Response? {
    let channel = EmbeddedChannel(handler: ByteToMessageHandler(HTTPResponseDecoder(leftOverBytesStrategy: .dropBytes)))
    defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
    let request = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
    channel.pipeline.syncOperations.write(NIOAny(HTTPClientRequestPart.head(request)), promise: nil)
    // Parts before a fault count: a response may be whole, and what is behind it be wrong.
    _ = try? channel.writeInbound(ByteBuffer(bytes: bytes))
    var response = Response()
    while let part = try? channel.readInbound(as: HTTPClientResponsePart.self) {
      switch part {
      case .head(let head):
        response.status = Int(head.status.code)
        response.fields = head.headers.map(shown)
      case .body(let body): response.body += body.readableBytesView
      case .end(let trailers):
        response.trailers = trailers?.map(shown) ?? []
        return (response.fields + response.trailers).allSatisfy(isPlain) ? response : nil
      }
    }
    return nil
  }

  /// Without the white space behind the value, which NIO leaves there.
  private static func shown(_ name: String, _ value: String) -> String { "\(name): \(value.trimmingSpaces())" }

  // MARK: WebSocket

  private static let largestFrame = 64 * 1024

  private struct Told: Equatable {
    let kind: String
    let payload: [UInt8]

    init(_ kind: String, _ payload: ByteBuffer) { (self.kind, self.payload) = (kind, Array(payload.readableBytesView)) }
  }

  /// What comes of frames, and whether nothing more does.
  private static func ownMessages(_ bytes: ArraySlice<UInt8>) -> ([Told], isOver: Bool) {
    var reader = WebSocketReader(maximumMessageSize: largestFrame, compression: nil)
    var told: [Told] = []
    reader.append(ByteBuffer(bytes: bytes))
    do {
      while let event = try reader.next() {
        switch event {
        case .message(let message): told.append(Told(message.kind == .text ? "text" : "binary", message.bytes))
        case .ping(let payload): told.append(Told("ping", payload))
        case .pong(let payload): told.append(Told("pong", payload))
        case .close(let close):
          let code = close.code.map { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] } ?? []
          told.append(Told("close", ByteBuffer(bytes: code + close.reason)))
          return (told, true)
        }
      }
    } catch {
      return (told, true)
    }
    return (told, false)
  }

  private static func nioMessages(_ bytes: ArraySlice<UInt8>) -> [Told] {
    let channel = EmbeddedChannel(handler: ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: largestFrame)))
    defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
    _ = try? channel.writeInbound(ByteBuffer(bytes: bytes))
    var (told, kind, draft): ([Told], String, ByteBuffer) = ([], "", ByteBuffer())
    while let frame = try? channel.readInbound(as: WebSocketFrame.self) {
      let payload = frame.unmaskedData
      switch frame.opcode {
      case .ping: told.append(Told("ping", payload))
      case .pong: told.append(Told("pong", payload))
      case .connectionClose: told.append(Told("close", payload))
      default:
        if frame.opcode != .continuation { (kind, draft) = (frame.opcode == .text ? "text" : "binary", ByteBuffer()) }
        draft.writeImmutableBuffer(payload)
        if frame.fin { told.append(Told(kind, draft)) }
      }
    }
    return told
  }
}
