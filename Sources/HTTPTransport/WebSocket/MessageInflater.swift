import CLoadingCompression
import NIOCore
import ProtocolRules

/// Decompresses the messages of one connection (RFC 7692, 7.2.2). Owned by its reader; made for the first compressed message.
final class MessageInflater {
  /// Room that is offered at a time: a message of a few bytes must not make a buffer of any size that its sender likes.
  private static let stride = 16 * 1024
  /// 7.2.2: "Append 4 octets of 0x00 0x00 0xff 0xff to the tail end of the payload of the message."
  private static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]

  private let inflater: OpaquePointer
  private let forgets: Bool

  /// nil if memory is short.
  init?(_ terms: WebSocketCompression) {
    guard let inflater = uls_inflater_create(Int32(terms.serverWindowBits)) else { return nil }
    self.inflater = inflater
    forgets = terms.serverForgets
  }

  deinit { uls_inflater_destroy(inflater) }

  /// Appends to `output` what `input`, a piece of a message, decompresses to.
  /// - Parameter limit: Bytes that `output` may have at most.
  func inflate(_ input: UnsafeRawBufferPointer, into output: inout ByteBuffer, limit: Int) throws(WebSocketViolation) {
    var offset = 0
    while true {
      var (inLength, outLength) = (input.count - offset, 0)
      let left = limit - output.readableBytes
      // One byte more than may come shows that there is too much.
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
    // A typed throw doesn't pass through `withUnsafeBytes`.
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
