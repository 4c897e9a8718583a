import LoadingModel
import NIOCore

/// Writes requests to one HTTP/1 connection. Owned by the connection; confined to its event loop.
struct RequestWriter {
  private var isChunked = false
  /// The buffer for the request's head, reused for the next one once the socket has taken it.
  private var room = ByteBufferAllocator().buffer(capacity: 512)

  /// Begins a request. Nothing reaches the socket before a flush.
  /// - Returns: Length of the head in bytes.
  mutating func begin(_ request: OutgoingRequest, _ context: ChannelHandlerContext) -> Int {
    isChunked = request.isChunked
    room.clear()
    RequestHead.write(request, into: &room)
    context.write(NIOAny(room), promise: nil)
    return room.readableBytes
  }

  func write(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
    // A chunk of no bytes would end the body (RFC 9112, 7.1).
    guard bytes.readableBytes > 0 else { return }
    guard isChunked else { return context.write(NIOAny(bytes), promise: nil) }
    context.write(NIOAny(ByteBuffer(string: String(bytes.readableBytes, radix: 16) + "\r\n")), promise: nil)
    context.write(NIOAny(bytes), promise: nil)
    context.write(NIOAny(RequestWriter.lineEnd), promise: nil)
  }

  /// - Parameter trailers: Fields behind the body (RFC 9112, 7.1.2); they are sent with a body in chunks alone.
  func end(_ trailers: HeaderFields, _ context: ChannelHandlerContext) {
    guard isChunked else { return }
    guard !trailers.isEmpty else { return context.write(NIOAny(RequestWriter.lastChunk), promise: nil) }
    var bytes = ByteBuffer(string: "0\r\n")
    for (name, value) in trailers.entries { bytes.writeString("\(name): \(value)\r\n") }
    bytes.writeString("\r\n")
    context.write(NIOAny(bytes), promise: nil)
  }

  private static let lineEnd = ByteBuffer(string: "\r\n")
  private static let lastChunk = ByteBuffer(string: "0\r\n\r\n")
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
      // A string without contiguous UTF-8 storage (bridged) is copied first.
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
