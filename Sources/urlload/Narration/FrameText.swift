import HTTPTransport

/// Describes HTTP/2 and HTTP/3 frames, for `-vv`. Pure.
enum FrameText {
  /// One line about a frame, such as "> HEADERS, stream 1, 45 bytes, END_STREAM END_HEADERS".
  static func line(_ frame: WatchedFrame) -> String {
    var parts: [String] = []
    switch frame.kind {
    case .http2(let type, let flags):
      parts = [type < 17 ? types[Int(type)] : "type 0x\(String(type, radix: 16))", "stream \(frame.stream)", "\(frame.length) bytes"]
      let names = self.flags(flags, of: type)
      if flags != 0 { parts.append(names.isEmpty ? "flags 0x\(String(flags, radix: 16))" : names.joined(separator: " ")) }
    case .http3(let type): parts = [http3Types[type] ?? reserved("type", type), "stream \(frame.stream)", "\(frame.length) bytes"]
    case .http3Stream(let type): parts = ["stream \(frame.stream) begins", http3Streams[type] ?? reserved("type", type)]
    }
    if let detail = detail(frame) { parts.append(detail) }
    return "\(frame.isSent ? ">" : "<") \(parts.joined(separator: ", "))"
  }

  // Frame types of HTTP/2: RFC 9113, 6; RFC 7838, 4; RFC 9218, 7.1.
  private static let types = [
    "DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS", "PUSH_PROMISE", "PING", "GOAWAY", "WINDOW_UPDATE", "CONTINUATION", "ALTSVC",
    "type 0xb", "ORIGIN", "type 0xd", "type 0xe", "type 0xf", "PRIORITY_UPDATE",
  ]
  private static let settings: [UInt64: String] = [
    1: "HEADER_TABLE_SIZE", 2: "ENABLE_PUSH", 3: "MAX_CONCURRENT_STREAMS", 4: "INITIAL_WINDOW_SIZE", 5: "MAX_FRAME_SIZE",
    6: "MAX_HEADER_LIST_SIZE", 8: "ENABLE_CONNECT_PROTOCOL", 9: "NO_RFC7540_PRIORITIES",
  ]
  private static let errors = [
    "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED", "FRAME_SIZE_ERROR",
    "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
  ]

  // Frame types and stream types of HTTP/3: RFC 9114, 7.2 and 6.2; RFC 9204, 4.2; RFC 9218, 7.2; RFC 9412.
  private static let http3Types: [UInt64: String] = [
    0: "DATA", 1: "HEADERS", 3: "CANCEL_PUSH", 4: "SETTINGS", 5: "PUSH_PROMISE", 7: "GOAWAY", 0xC: "ORIGIN", 0xD: "MAX_PUSH_ID",
    0xF0700: "PRIORITY_UPDATE", 0xF0701: "PRIORITY_UPDATE of a push",
  ]
  private static let http3Streams: [UInt64: String] = [0: "control", 1: "push", 2: "QPACK encoder", 3: "QPACK decoder"]
  private static let http3Settings: [UInt64: String] = [
    1: "QPACK_MAX_TABLE_CAPACITY", 6: "MAX_FIELD_SECTION_SIZE", 7: "QPACK_BLOCKED_STREAMS", 8: "ENABLE_CONNECT_PROTOCOL",
    0x33: "H3_DATAGRAM",
  ]

  /// A type by its number. Reserved numbers are marked: they are sent so that peers learn to ignore unknown types (RFC 9114, 7.2.8).
  private static func reserved(_ what: String, _ number: UInt64) -> String {
    "\(what) 0x\(String(number, radix: 16))" + (number >= 0x21 && (number - 0x21) % 0x1F == 0 ? " (reserved)" : "")
  }

  private static func flags(_ flags: UInt8, of type: UInt8) -> [String] {
    let names: [(UInt8, String)] =
      switch type {
      case 0: [(0x1, "END_STREAM"), (0x8, "PADDED")]
      case 1: [(0x1, "END_STREAM"), (0x4, "END_HEADERS"), (0x8, "PADDED"), (0x20, "PRIORITY")]
      case 4, 6: [(0x1, "ACK")]
      case 5: [(0x4, "END_HEADERS"), (0x8, "PADDED")]
      case 9: [(0x4, "END_HEADERS")]
      default: []
      }
    return names.filter { flags & $0.0 != 0 }.map(\.1)
  }

  /// The content of frames that control the connection; nil for other frames.
  private static func detail(_ frame: WatchedFrame) -> String? {
    let bytes = frame.payload
    guard !bytes.isEmpty else { return nil }
    switch frame.kind {
    case .http2(3, _): return bytes.count == 4 ? error(number(bytes[...])) : nil
    case .http2(4, _):
      let pairs = stride(from: 0, to: bytes.count - bytes.count % 6, by: 6).map { start in
        (number(bytes[start..<(start + 2)]), number(bytes[(start + 2)..<(start + 6)]))
      }
      return list(pairs, settings)
    case .http2(7, _):
      guard bytes.count >= 8 else { return nil }
      let text = String(decoding: bytes[8...], as: UTF8.self)
      return "last stream \(number(bytes[0..<4]) & 0x7FFF_FFFF), \(error(number(bytes[4..<8])))" + (text.isEmpty ? "" : ", “\(text)”")
    case .http2(8, _): return bytes.count == 4 ? "+\(number(bytes[...]) & 0x7FFF_FFFF)" : nil
    case .http2(10, _), .http3(0xC): return nil
    case .http2(16, _): return bytes.count > 4 ? "stream \(number(bytes[0..<4])): \(String(decoding: bytes[4...], as: UTF8.self))" : nil
    case .http3(4):
      let numbers = variable(bytes)
      return list(stride(from: 0, to: numbers.count - numbers.count % 2, by: 2).map { (numbers[$0], numbers[$0 + 1]) }, http3Settings)
    case .http3(7): return variable(bytes).first.map { "from stream \($0)" }
    case .http2, .http3, .http3Stream: return nil
    }
  }

  private static func list(_ pairs: [(UInt64, UInt64)], _ names: [UInt64: String]) -> String {
    pairs.map { "\(names[$0.0] ?? reserved("setting", $0.0)) \($0.1)" }.joined(separator: ", ")
  }

  private static func error(_ code: UInt64) -> String {
    code < UInt64(errors.count) ? errors[Int(code)] : "error 0x\(String(code, radix: 16))"
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

  /// Integers of variable length (RFC 9000, 16); an incomplete last one is left out.
  private static func variable(_ bytes: [UInt8]) -> [UInt64] {
    var (result, rest): ([UInt64], ArraySlice<UInt8>) = ([], bytes[...])
    while let first = rest.first {
      let length = 1 << Int(first >> 6)
      guard rest.count >= length else { break }
      result.append(number(rest.prefix(length)) & (UInt64.max >> UInt64(66 - 8 * length)))
      rest = rest.dropFirst(length)
    }
    return result
  }
}
