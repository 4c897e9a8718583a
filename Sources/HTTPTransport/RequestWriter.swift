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
  var head = ByteBuffer()
  /// Whether the body travels in chunks (RFC 9112, 7.1).
  var isChunked = false

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
    buffer.writeString(method)
    buffer.writeStaticString(" ")
    buffer.writeString(target)
    buffer.writeStaticString(" HTTP/1.1\r\n")
    for field in headers.entries {
      buffer.writeString(field.name)
      buffer.writeStaticString(": ")
      buffer.writeString(field.value)
      buffer.writeStaticString("\r\n")
    }
    buffer.writeStaticString("\r\n")
  }
}
