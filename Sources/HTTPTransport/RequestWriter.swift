import LoadingModel
import NIOCore
import NIOHTTP1

/// Writes requests, next to the socket: from here bytes go to TLS and the kernel without passing the handlers above.
///
/// NIO's decoder must learn each request's method; it is told directly. What a server sends without having been asked ends the
/// connection here, before the decoder could take it for the beginning of the next response. Owned by the connection; confined to its event loop.
final class RequestWriter: ChannelDuplexHandler, @unchecked Sendable {
  // @unchecked: confined to the channel's event loop.
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let decoder: HTTPResponseDecoder
  @exclusivity(unchecked) private var context: ChannelHandlerContext?
  @exclusivity(unchecked) private var isChunked = false
  @exclusivity(unchecked) private var awaitsResponse = false
  /// The decoder only looks at the method, and its head is a heap object: one is kept as long as the method stays.
  @exclusivity(unchecked) private var noted: HTTPRequestHead?
  /// Room for the next head; given back by the socket once it has been written.
  @exclusivity(unchecked) private var room = ByteBufferAllocator().buffer(capacity: 512)

  init(decoder: HTTPResponseDecoder) {
    self.decoder = decoder
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if awaitsResponse { context.fireChannelRead(data) } else { context.close(promise: nil) }
  }

  /// The exchange is over: nothing is expected from the server.
  func rest() { awaitsResponse = false }

  /// Begins a request. Nothing reaches the socket before `flush`.
  /// - Returns: Length of the head in bytes.
  func begin(_ request: OutgoingRequest) -> Int {
    decoder.write(data: .head(head(request.method)))
    isChunked = request.isChunked
    awaitsResponse = true
    room.clear()
    RequestHead.write(request, into: &room)
    context?.write(NIOAny(room), promise: nil)
    return room.readableBytes
  }

  func write(_ bytes: ByteBuffer) {
    // A chunk of no bytes would end the body (RFC 9112, 7.1).
    guard let context, bytes.readableBytes > 0 else { return }
    guard isChunked else { return context.write(NIOAny(bytes), promise: nil) }
    context.write(NIOAny(ByteBuffer(string: String(bytes.readableBytes, radix: 16) + "\r\n")), promise: nil)
    context.write(NIOAny(bytes), promise: nil)
    context.write(NIOAny(RequestWriter.lineEnd), promise: nil)
  }

  func end() {
    if isChunked { context?.write(NIOAny(RequestWriter.lastChunk), promise: nil) }
  }

  func flush() { context?.flush() }

  private func head(_ method: String) -> HTTPRequestHead {
    let httpMethod = HTTPMethod(rawValue: method)
    if let noted, noted.method == httpMethod { return noted }
    let head = HTTPRequestHead(version: .http1_1, method: httpMethod, uri: "/")
    noted = head
    return head
  }

  private static let lineEnd = ByteBuffer(string: "\r\n")
  private static let lastChunk = ByteBuffer(string: "0\r\n\r\n")
}

/// What a request's head says. The fields have been checked by the header rules.
package struct OutgoingRequest {
  package let method: String
  /// Origin-form (RFC 9112, 3.2.1).
  package let target: String
  package let headers: HeaderFields
  /// The body travels in chunks (RFC 9112, 7.1).
  package let isChunked: Bool
  /// The app asked for the connection to be closed after the response.
  package let closesAfter: Bool

  package init(method: String, target: String, headers: HeaderFields, isChunked: Bool, closesAfter: Bool) {
    self.method = method
    self.target = target
    self.headers = headers
    self.isChunked = isChunked
    self.closesAfter = closesAfter
  }
}

/// Serialises a request head (RFC 9112, 3).
enum RequestHead {
  static func write(_ request: OutgoingRequest, into buffer: inout ByteBuffer) {
    let overhead = request.method.utf8.count + request.target.utf8.count + 16
    let size = request.headers.entries.reduce(overhead) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: size) { bytes in
      var cursor = Cursor(bytes)
      cursor.append(request.method)
      cursor.append(" ")
      cursor.append(request.target)
      cursor.append(" HTTP/1.1\r\n")
      for field in request.headers.entries {
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
      guard text.utf8.withContiguousStorageIfAvailable({ copy(UnsafeRawBufferPointer($0)) }) == nil else { return }
      // A string bridged from elsewhere.
      var native = text
      native.withUTF8 { copy(UnsafeRawBufferPointer($0)) }
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
