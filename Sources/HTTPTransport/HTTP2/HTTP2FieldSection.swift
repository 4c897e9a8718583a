import NIOCore

/// Writes a section of fields as frames: HEADERS, and CONTINUATION for what exceeds the peer's limit (RFC 9113, 6.2 and 6.10).
enum HTTP2FieldSection {
  /// - Parameters:
  ///   - bound: Bytes that `encode` writes at most.
  /// - Returns: Bytes of the encoded section.
  // Inlined: the closure would otherwise be made for each request.
  @inline(__always)
  static func write(
    _ stream: Int32, endsStream: Bool, frameLimit: Int, bound: Int, _ output: inout ByteBuffer, _ encode: (inout HPACKOutput) -> Void
  ) -> Int {
    let start = output.writerIndex
    let headerLength = HTTP2FrameHeader.length
    output.writeWithUnsafeMutableBytes(minimumWritableBytes: headerLength + bound) { room in
      var block = HPACKOutput(UnsafeMutableRawBufferPointer(rebasing: room[headerLength...]))
      encode(&block)
      return headerLength + block.count
    }
    let length = output.writerIndex - start - headerLength
    guard length <= frameLimit else {
      split(from: start, stream, endsStream, frameLimit, &output)
      return length
    }
    let flags = HTTP2FrameHeader.Flag.endHeaders | (endsStream ? HTTP2FrameHeader.Flag.endStream : 0)
    output.setFrameHeader(HTTP2FrameHeader(payload: length, type: HTTP2FrameHeader.Kind.headers, flags: flags, stream: stream), at: start)
    return length
  }

  /// Splits a section that was written as one frame, but exceeds the frame size, into HEADERS and CONTINUATION frames.
  private static func split(from start: Int, _ stream: Int32, _ endsStream: Bool, _ frameLimit: Int, _ output: inout ByteBuffer) {
    let blockStart = start + HTTP2FrameHeader.length
    guard var block = output.getSlice(at: blockStart, length: output.writerIndex - blockStart) else { return }
    output.moveWriterIndex(to: start)
    var type = HTTP2FrameHeader.Kind.headers
    while let part = block.readSlice(length: min(frameLimit, block.readableBytes)), part.readableBytes > 0 {
      var flags = type == HTTP2FrameHeader.Kind.headers && endsStream ? HTTP2FrameHeader.Flag.endStream : 0
      if block.readableBytes == 0 { flags |= HTTP2FrameHeader.Flag.endHeaders }
      output.writeFrameHeader(part.readableBytes, type, flags, stream)
      output.writeImmutableBuffer(part)
      type = HTTP2FrameHeader.Kind.continuation
    }
  }
}
