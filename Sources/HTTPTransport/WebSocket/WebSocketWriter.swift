import NIOCore
import ProtocolRules

/// Encodes messages and control frames (RFC 6455, 5 and 6.1). Owned by the `WebSocketSession`.
struct WebSocketWriter {
  /// The most bytes of a message in one frame: a longer message is sent in fragments, so that control frames can be sent between them.
  static let fragmentSize = 256 * 1024

  /// A message of which some fragments have been written.
  struct Progress {
    fileprivate let isCompressed: Bool
    /// Bytes of the message that have been written.
    fileprivate(set) var offset = 0
  }

  private let compression: WebSocketCompression?
  private var deflater: MessageDeflater?
  /// The unused half of the last random number, as the next masking key.
  private var spareKey: UInt32?

  init(compression: WebSocketCompression?) {
    self.compression = compression
  }

  /// Writes the next fragment of `content`. Returns nil when that was the last one.
  mutating func write(_ content: WebSocketContent, _ progress: Progress?, into buffer: inout ByteBuffer) -> Progress? {
    let total = content.count
    var progress = progress ?? Progress(isCompressed: compresses(total))
    let start = progress.offset
    let end = min(start + WebSocketWriter.fragmentSize, total)
    let isLast = end == total
    progress.offset = end
    content.withBytes { bytes in
      let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
      var header = WebSocketFrameHeader(start == 0 ? content.opcode : .continuation, isFinal: isLast, length: piece.count)
      // RFC 7692, 6.1: RSV1 marks the first fragment for the whole message.
      header.isCompressed = progress.isCompressed && start == 0
      if progress.isCompressed {
        writeDeflated(piece, header, into: &buffer)
      } else {
        write(header, piece, into: &buffer)
      }
    }
    return isLast ? nil : progress
  }

  mutating func write(control opcode: WebSocketFrameHeader.Opcode, _ payload: some Sequence<UInt8>, into buffer: inout ByteBuffer) {
    let bytes = Array(payload)
    bytes.withUnsafeBytes { write(WebSocketFrameHeader(opcode, length: bytes.count), $0, into: &buffer) }
  }

  private mutating func compresses(_ count: Int) -> Bool {
    guard let compression, count >= MessageDeflater.threshold else { return false }
    if deflater == nil { deflater = MessageDeflater(compression) }
    return deflater != nil
  }

  private mutating func writeDeflated(_ piece: UnsafeRawBufferPointer, _ header: WebSocketFrameHeader, into buffer: inout ByteBuffer) {
    var (header, deflated) = (header, ByteBuffer())
    // Can't fail, except by a bug in zlib, as its state is valid and the output has room. The frame would be empty, and the peer would fail.
    _ = deflater?.deflate(piece, isLast: header.isFinal, into: &deflated)
    header.length = deflated.readableBytes
    deflated.withUnsafeReadableBytes { write(header, $0, into: &buffer) }
  }

  private mutating func write(_ header: WebSocketFrameHeader, _ payload: UnsafeRawBufferPointer, into buffer: inout ByteBuffer) {
    let key = nextKey()
    buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: WebSocketFrameHeader.longest + payload.count) { target in
      let size = header.write(key: key, to: target)
      WebSocketMask.copy(payload, to: UnsafeMutableRawBufferPointer(rebasing: target[size...]), key: key)
      return size + payload.count
    }
  }

  /// A new masking key. It must be unpredictable, so that an attacker can't choose the bytes that are sent (RFC 6455, 10.3).
  private mutating func nextKey() -> UInt32 {
    if let key = spareKey.take() { return key }
    // One call of the system's random generator makes two keys.
    let bits = UInt64.random(in: .min ... .max)
    spareKey = UInt32(truncatingIfNeeded: bits >> 32)
    return UInt32(truncatingIfNeeded: bits)
  }
}
