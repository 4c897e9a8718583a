import CLoadingCompression
import NIOCore
import ProtocolRules

/// Compresses the messages of one WebSocket (permessage-deflate, RFC 7692, 7.2.1). Owned by its writer; created for the first message that is
/// compressed.
final class MessageDeflater {
  /// The least message length in bytes for compression: for shorter ones it saves less than the compressor's memory costs.
  static let threshold = 1024

  private let deflater: OpaquePointer
  private let forgets: Bool

  /// Returns nil if memory is short, or the negotiated window is smaller than zlib supports.
  init?(_ terms: WebSocketCompression) {
    guard terms.clientWindowBits > 8, let deflater = uls_deflater_create(Int32(terms.clientWindowBits)) else { return nil }
    self.deflater = deflater
    forgets = terms.clientForgets
  }

  deinit { uls_deflater_destroy(deflater) }

  /// Compresses the next piece of a message and appends it to `output`; returns false if the compressor fails.
  /// - Parameter isLast: Whether the piece is the message's last.
  func deflate(_ input: UnsafeRawBufferPointer, isLast: Bool, into output: inout ByteBuffer) -> Bool {
    var offset = 0
    while true {
      var (inLength, outLength) = (input.count - offset, 0)
      let room = max(256, input.count - offset + 64)
      var status: Int32 = 0
      output.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { target in
        outLength = room
        status = uls_deflater_step(
          deflater, input.baseAddress?.advanced(by: offset).assumingMemoryBound(to: UInt8.self), &inLength,
          target.baseAddress?.assumingMemoryBound(to: UInt8.self), &outLength, isLast ? 1 : 0)
        return outLength
      }
      offset += inLength
      guard status == 0 else { return false }
      if outLength < room { break }
    }
    guard isLast else { return true }
    // RFC 7692, 7.2.1: "Remove 4 octets (that are 0x00 0x00 0xff 0xff) from the tail end."
    output.moveWriterIndex(to: max(output.readerIndex, output.writerIndex - 4))
    if forgets { return uls_deflater_reset(deflater) == 0 }
    return true
  }
}
