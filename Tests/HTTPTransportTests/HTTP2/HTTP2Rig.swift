import LoadingModel
import NIOCore

@testable import HTTPTransport

/// A machine with a peer that says what a test makes it say.
struct HTTP2Rig {
  var machine = HTTP2Machine(scheme: "https")
  private var encoder = HPACKEncoder()

  /// - Parameter settings: The frame that the peer sends first; nil if the test sends it.
  init(settings: [(UInt16, UInt32)]? = []) throws {
    machine.begin()
    machine.output.clear()
    guard let settings else { return }
    _ = try feed(Frame.settings(settings))
    machine.output.clear()
  }

  /// What comes of `bytes`, in words; `.data` shows its text.
  mutating func feed(_ bytes: [UInt8]...) throws -> [String] {
    for part in bytes { machine.append(ByteBuffer(bytes: part)) }
    var events: [String] = []
    while let event = try machine.next() { events.append(HTTP2Rig.text(event)) }
    return events
  }

  /// The code of the error that `bytes` are to the whole connection; nil if they are none.
  mutating func violation(_ bytes: [UInt8]...) -> HTTP2ErrorCode? {
    do {
      for part in bytes { _ = try feed(part) }
      return nil
    } catch {
      return (error as? HTTP2ConnectionError)?.code
    }
  }

  @discardableResult
  mutating func start(_ method: String = "GET", _ fields: [(String, String)] = [], ends: Bool = true) -> HTTP2Stream {
    let headers = HeaderFields([("Host", "example.org")] + fields)
    let request = OutgoingRequest(method: method, target: "/", headers: headers, isChunked: false, closesAfter: false)
    return machine.start(nil, request, endsStream: ends).0
  }

  /// A response's head, as the peer's encoder writes it.
  mutating func head(_ stream: Int32, _ fields: [(String, String)] = [(":status", "200")], ends: Bool = false) -> [UInt8] {
    Frame.headers(stream, block(fields), ends: ends)
  }

  mutating func block(_ fields: [(String, String)]) -> [UInt8] {
    var room = [UInt8](repeating: 0, count: fields.reduce(64) { $0 + HPACKEncoder.bound($1.0, $1.1) })
    let count = room.withUnsafeMutableBytes { bytes in
      var output = HPACKOutput(bytes)
      encoder.begin(&output)
      for (name, value) in fields { encoder.append(name, value, .kept, &output) }
      return output.count
    }
    return Array(room[..<count])
  }

  /// The frames that wait to be sent, in words; they are removed.
  mutating func sent() -> [String] {
    defer { machine.output.clear() }
    var bytes = machine.output
    var frames: [String] = []
    while let header = bytes.readFrameHeader(), let payload = bytes.readSlice(length: header.payload) {
      frames.append(HTTP2Rig.text(header, payload))
    }
    return frames
  }

  static let names = [
    "DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS", "PUSH_PROMISE", "PING", "GOAWAY", "WINDOW_UPDATE", "CONTINUATION",
  ]

  private static func text(_ header: HTTP2FrameHeader, _ payload: ByteBuffer) -> String {
    var payload = payload
    let start = "\(names[Int(header.type)]) \(header.stream)"
    let flags = header.flags == 0 ? "" : " flags \(header.flags)"
    switch header.type {
    case HTTP2FrameHeader.Kind.resetStream: return start + " \(HTTP2ErrorCode(rawValue: payload.readInteger() ?? 99))"
    case HTTP2FrameHeader.Kind.windowUpdate: return start + " \(payload.readInteger(as: UInt32.self) ?? 0)"
    case HTTP2FrameHeader.Kind.data: return start + flags + " \(header.payload)"
    default: return start + flags
    }
  }

  private static func text(_ event: HTTP2Machine.Event) -> String {
    switch event {
    case .informational(let stream, let head): "informational \(stream.id) \(head.status)"
    case .head(let stream, let head, _, _): "head \(stream.id) \(head.status)"
    case .data(let stream, let bytes): "data \(stream.id) \(String(buffer: bytes))"
    case .ended(let stream): "end \(stream.id)"
    case .failed(let stream, let error): "failed \(stream.id) \(error.kind)\(error.resendReason.map { " \($0)" } ?? "")"
    case .goingAway(let refused): "away \(refused.map(\.id))"
    case .settings: "settings"
    case .pong: "pong"
    case .alternatives(let value, let stream, let named): "alternatives \(stream?.id ?? 0) \(named) \(value)"
    }
  }
}

/// Frames as bytes.
enum Frame {
  static func make(_ type: UInt8, _ flags: UInt8, _ stream: Int32, _ payload: [UInt8]) -> [UInt8] {
    var buffer = ByteBuffer()
    buffer.writeFrameHeader(payload.count, type, flags, stream)
    buffer.writeBytes(payload)
    return Array(buffer.readableBytesView)
  }

  static func number(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) } }

  static func settings(_ settings: [(UInt16, UInt32)]) -> [UInt8] {
    make(4, 0, 0, settings.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 0xFF)] + number($0.1) })
  }

  static func headers(_ stream: Int32, _ block: [UInt8], ends: Bool = false) -> [UInt8] { make(1, ends ? 5 : 4, stream, block) }

  static func data(_ stream: Int32, _ text: String, ends: Bool = false) -> [UInt8] { make(0, ends ? 1 : 0, stream, Array(text.utf8)) }

  static func reset(_ stream: Int32, _ code: HTTP2ErrorCode) -> [UInt8] { make(3, 0, stream, number(code.rawValue)) }

  static func goAway(_ last: Int32, _ code: HTTP2ErrorCode = .noError) -> [UInt8] {
    make(7, 0, 0, number(UInt32(bitPattern: last)) + number(code.rawValue) + Array("bye".utf8))
  }

  static func window(_ stream: Int32, _ increment: UInt32) -> [UInt8] { make(8, 0, stream, number(increment)) }

  static func ping(ack: Bool = false) -> [UInt8] { make(6, ack ? 1 : 0, 0, [1, 2, 3, 4, 5, 6, 7, 8]) }
}
