import LoadingModel
import NIOCore

/// The fields behind a request's body in frames (RFC 9113, 8.1): they end the stream.
struct HTTP2Trailers {
  private let fields: HeaderFields

  init(_ fields: HeaderFields) { self.fields = fields }

  func write(_ stream: Int32, frameLimit: Int, _ encoder: inout HPACKEncoder, _ output: inout ByteBuffer) {
    let start = output.writerIndex
    let headerLength = HTTP2FrameHeader.length
    let bound = fields.entries.reduce(HPACKEncoder.beginningBound) { $0 + HPACKEncoder.bound($1.name, $1.value) }
    output.writeWithUnsafeMutableBytes(minimumWritableBytes: headerLength + bound) { room in
      var block = HPACKOutput(UnsafeMutableRawBufferPointer(rebasing: room[headerLength...]))
      encoder.begin(&block)
      for (name, value) in fields.entries { encoder.append(name, value, .transient, &block) }
      return headerLength + block.count
    }
    let length = output.writerIndex - start - headerLength
    guard length <= frameLimit else { return HTTP2RequestHead.split(from: start, stream, true, frameLimit, &output) }
    let flags = HTTP2FrameHeader.Flag.endHeaders | HTTP2FrameHeader.Flag.endStream
    output.setFrameHeader(HTTP2FrameHeader(payload: length, type: HTTP2FrameHeader.Kind.headers, flags: flags, stream: stream), at: start)
  }
}
