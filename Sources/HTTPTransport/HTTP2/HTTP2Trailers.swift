import LoadingModel
import NIOCore

/// Encodes a request's trailer fields as frames that end the stream (RFC 9113, 8.1).
struct HTTP2Trailers {
  private let fields: HeaderFields

  init(_ fields: HeaderFields) { self.fields = fields }

  func write(_ stream: Int32, frameLimit: Int, _ encoder: inout HPACKEncoder, _ output: inout ByteBuffer) {
    let bound = fields.entries.reduce(HPACKEncoder.beginningBound) { $0 + HPACKEncoder.bound($1.name, $1.value) }
    _ = HTTP2FieldSection.write(stream, endsStream: true, frameLimit: frameLimit, bound: bound, &output) { block in
      encoder.begin(&block)
      for (name, value) in fields.entries { encoder.append(name, value, .transient, &block) }
    }
  }
}
