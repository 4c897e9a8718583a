import LoadingModel
import NIOCore
import ProtocolRules

/// Encodes a request's head (RFC 9113, 8.3.1) as a HEADERS frame, followed by CONTINUATION frames if it is long.
struct HTTP2RequestHead {
  let request: OutgoingRequest
  let scheme: String
  /// The load's priority from 0 to 1, as `URLSessionTask.priority`.
  let priority: Float
  /// Whether the response's body is processed as it arrives: the server may then interleave it with others of the same urgency (RFC 9218, 4.2).
  let isIncremental: Bool

  /// Writes the head's frames to `output`.
  /// - Returns: Length of the encoded field section in bytes.
  func write(
    _ stream: Int32, endsStream: Bool, frameLimit: Int, _ encoder: inout HPACKEncoder, _ output: inout ByteBuffer
  ) -> Int {
    HTTP2FieldSection.write(stream, endsStream: endsStream, frameLimit: frameLimit, bound: bound, &output) { encode(&encoder, &$0) }
  }

  private var bound: Int {
    var size = HPACKEncoder.beginningBound + 96
    size += HPACKEncoder.bound(":method", request.method) + HPACKEncoder.bound(":path", request.target)
    size += HPACKEncoder.bound(":protocol", request.connectProtocol ?? "")
    for field in request.headers.entries { size += HPACKEncoder.bound(field.name, field.value) }
    return size
  }

  private func encode(_ encoder: inout HPACKEncoder, _ block: inout HPACKOutput) {
    encoder.begin(&block)
    switch request.method {
    case "GET": encoder.append(static: HPACKStaticTable.get, &block)
    case "POST": encoder.append(static: HPACKStaticTable.post, &block)
    default: encoder.append(":method", request.method, .transient, nameIndex: HPACKStaticTable.get, &block)
    }
    encoder.append(static: scheme == "http" ? HPACKStaticTable.http : HPACKStaticTable.https, &block)
    // ":authority" replaces Host (RFC 9113, 8.3.1), which the header rules always put first.
    if let host = request.headers.first("host") {
      encoder.append(":authority", host, .kept, nameIndex: HPACKStaticTable.authority, &block)
    }
    if let name = request.connectProtocol { encoder.append(":protocol", name, .kept, &block) }
    if request.target == "/" {
      encoder.append(static: HPACKStaticTable.root, &block)
    } else {
      encoder.append(":path", request.target, .transient, nameIndex: HPACKStaticTable.root, &block)
    }
    for (name, value) in request.headers.entries {
      guard let indexing = HPACKEncoder.Indexing.of(name, value) else { continue }
      encoder.append(name, value, indexing, &block)
    }
    if let value = PriorityField.value(priority, isIncremental: isIncremental), !request.headers.contains("priority") {
      encoder.append("priority", value, .kept, &block)
    }
  }

}

extension OutgoingRequest {
  /// The length of the request's body in bytes, from its Content-Length; nil if it has none.
  var announcedLength: Int64? { headers.first("content-length").flatMap { FieldSyntaxRules.decimal($0.utf8) } }
}
