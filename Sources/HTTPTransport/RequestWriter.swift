import LoadingModel
import NIOCore
import NIOHTTP1

/// Turns request parts into bytes, next to the socket.
///
/// The head comes ready-made in `head`, because NIO's decoder above must still see a head part go by to learn the method.
final class RequestWriter: ChannelOutboundHandler, @unchecked Sendable {
  // @unchecked: confined to the channel's event loop.
  typealias OutboundIn = HTTPClientRequestPart
  typealias OutboundOut = ByteBuffer

  /// The bytes of the next request's head.
  @exclusivity(unchecked) var head = ByteBuffer()
  /// Whether the body travels in chunks (RFC 9112, 7.1).
  @exclusivity(unchecked) var isChunked = false

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head:
      context.write(wrapOutboundOut(head), promise: promise)
    case .body(.byteBuffer(let bytes)):
      // A chunk of no bytes would end the body (RFC 9112, 7.1).
      guard bytes.readableBytes > 0 else {
        promise?.succeed()
        return
      }
      if isChunked {
        context.write(wrapOutboundOut(ByteBuffer(string: String(bytes.readableBytes, radix: 16) + "\r\n")), promise: nil)
        context.write(wrapOutboundOut(bytes), promise: nil)
        context.write(wrapOutboundOut(RequestWriter.lineEnd), promise: promise)
      } else {
        context.write(wrapOutboundOut(bytes), promise: promise)
      }
    case .body(.fileRegion(let region)):
      context.write(NIOAny(IOData.fileRegion(region)), promise: promise)
    case .end:
      if isChunked {
        context.write(wrapOutboundOut(RequestWriter.lastChunk), promise: promise)
      } else {
        promise?.succeed()
      }
    }
  }

  private static let lineEnd = ByteBuffer(string: "\r\n")
  private static let lastChunk = ByteBuffer(string: "0\r\n\r\n")
}

/// Serialises a request head (RFC 9112, 3). Names and values have been checked by the header rules.
package enum RequestHead {
  package static func write(
    method: String, target: String, headers: HeaderFields, into buffer: inout ByteBuffer
  ) {
    let overhead = method.utf8.count + target.utf8.count + 16
    let size = headers.entries.reduce(overhead) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: size) { bytes in
      var cursor = Cursor(bytes)
      cursor.append(method)
      cursor.append(" ")
      cursor.append(target)
      cursor.append(" HTTP/1.1\r\n")
      for field in headers.entries {
        cursor.append(field.name)
        cursor.append(": ")
        cursor.append(field.value)
        cursor.append("\r\n")
      }
      cursor.append("\r\n")
      return cursor.count
    }
  }

  /// Copies strings one behind the other: one check of capacity for the head instead of one per string.
  private struct Cursor {
    private let bytes: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(_ bytes: UnsafeMutableRawBufferPointer) { self.bytes = bytes }

    mutating func append(_ text: String) {
      var text = text
      text.withUTF8 { copy(UnsafeRawBufferPointer($0)) }
    }

    mutating func append(_ text: StaticString) {
      text.withUTF8Buffer { copy(UnsafeRawBufferPointer($0)) }
    }

    private mutating func copy(_ source: UnsafeRawBufferPointer) {
      UnsafeMutableRawBufferPointer(rebasing: bytes[count...]).copyMemory(from: source)
      count += source.count
    }
  }
}
