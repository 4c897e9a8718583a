import CLoadingCompression
import NIOCore
import ProtocolRules

/// Decompresses the messages of one WebSocket (permessage-deflate, RFC 7692, 7.2.2). Owned by its reader; created for the first compressed message.
final class MessageInflater {
  /// The most bytes by which the output buffer grows at a time, so that a small message can't cause a large allocation.
  private static let stride = 16 * 1024
  /// The bytes appended to each compressed message (RFC 7692, 7.2.2): "Append 4 octets of 0x00 0x00 0xff 0xff to the tail end of the payload of the
  /// message."
  private static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]

  private let inflater: OpaquePointer
  private let forgets: Bool

  /// Returns nil if memory is short.
  init?(_ terms: WebSocketCompression) {
    guard let inflater = uls_inflater_create(Int32(terms.serverWindowBits)) else { return nil }
    self.inflater = inflater
    forgets = terms.serverForgets
  }

  deinit { uls_inflater_destroy(inflater) }

  /// Decompresses `input`, a piece of a message, and appends the result to `output`.
  /// - Parameter limit: The most bytes that `output` may have.
  func inflate(_ input: UnsafeRawBufferPointer, into output: inout ByteBuffer, limit: Int) throws(WebSocketViolation) {
    var offset = 0
    while true {
      var (inLength, outLength) = (input.count - offset, 0)
      let left = limit - output.readableBytes
      // Space for one byte more than allowed, to detect a message that is too long.
      let room = left < MessageInflater.stride ? left + 1 : MessageInflater.stride
      var status: Int32 = 0
      output.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { target in
        outLength = room
        status = uls_inflater_step(
          inflater, input.baseAddress?.advanced(by: offset).assumingMemoryBound(to: UInt8.self), &inLength,
          target.baseAddress?.assumingMemoryBound(to: UInt8.self), &outLength)
        return outLength
      }
      offset += inLength
      guard status == 0 else { throw WebSocketViolation(.invalidPayload, "sent a compressed message that can't be decompressed") }
      guard output.readableBytes <= limit else { throw .tooBig(limit) }
      if outLength < room { return }
    }
  }

  func endMessage(into output: inout ByteBuffer, limit: Int) throws(WebSocketViolation) {
    // The error is stored, as a typed error can't be thrown out of `withUnsafeBytes`.
    var violation: WebSocketViolation?
    MessageInflater.tail.withUnsafeBytes { tail in
      do throws(WebSocketViolation) { try inflate(tail, into: &output, limit: limit) } catch { violation = error }
    }
    if let violation { throw violation }
    if forgets { _ = uls_inflater_reset(inflater) }
  }
}

extension WebSocketViolation {
  static func tooBig(_ limit: Int) -> WebSocketViolation {
    WebSocketViolation(.messageTooBig, "sent a message of more than \(limit) bytes; raise maximumMessageSize to receive it")
  }
}
