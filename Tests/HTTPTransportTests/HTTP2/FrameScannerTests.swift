import NIOCore
import Testing

@testable import HTTPTransport

/// What a watcher is told of the bytes of HTTP/2 and HTTP/3, however they are cut.
@Suite struct FrameScannerTests {
  /// The frames in `bytes`, which come `size` at a time.
  private func http2(_ bytes: [UInt8], isSent: Bool, by size: Int) -> [WatchedFrame] {
    var (scanner, frames): (HTTP2FrameScanner, [WatchedFrame]) = (HTTP2FrameScanner(isSent: isSent), [])
    for start in stride(from: 0, to: bytes.count, by: size) {
      bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { piece in scanner.scan(piece) { frames.append($0) } }
    }
    return frames
  }

  private func http3(_ bytes: [UInt8], stream: Int64, by size: Int) -> [WatchedFrame] {
    var (scanner, frames): (HTTP3FrameScanner, [WatchedFrame]) = (HTTP3FrameScanner(stream: stream, isSent: false), [])
    for start in stride(from: 0, to: bytes.count, by: size) {
      bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { piece in scanner.scan(piece) { frames.append($0) } }
    }
    return frames
  }

  @Test(arguments: [1, 7, 1000]) func framesOfHTTP2(_ size: Int) {
    let settings: [UInt8] = [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 1, 0, 0]
    let acknowledgement: [UInt8] = [0, 0, 0, 4, 1, 0, 0, 0, 0]
    let data: [UInt8] = [0, 0, 3, 0, 1, 0x80, 0, 1, 1, 1, 2, 3]
    let frames = http2(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + settings + acknowledgement + data, isSent: true, by: size)
    #expect(
      frames == [
        WatchedFrame(.http2(type: 4, flags: 0), isSent: true, stream: 0, length: 6, payload: [0, 4, 0, 1, 0, 0]),
        WatchedFrame(.http2(type: 4, flags: 1), isSent: true, stream: 0, length: 0),
        // What a body says isn't told; and the reserved bit is no part of the stream's number.
        WatchedFrame(.http2(type: 0, flags: 1), isSent: true, stream: 257, length: 3),
      ])
  }

  @Test func longPayloadsAreToldInPart() {
    let frame: [UInt8] = [0, 0x20, 0, 10, 0, 0, 0, 0, 0] + [UInt8](repeating: 7, count: 0x2000)
    let frames = http2(frame + frame, isSent: false, by: 100)
    #expect(frames.map(\.length) == [0x2000, 0x2000])
    #expect(frames.map(\.payload.count) == [HTTP2FrameScanner.payloadLimit, HTTP2FrameScanner.payloadLimit])
  }

  @Test(arguments: [1, 3, 1000]) func framesOfHTTP3(_ size: Int) {
    // HEADERS of 2 bytes, DATA of 70 bytes, whose length takes two bytes, and an empty frame of a reserved type.
    let bytes: [UInt8] = [1, 2, 0xAA, 0xBB, 0, 0x40, 70] + [UInt8](repeating: 9, count: 70) + [0x21, 0]
    #expect(
      http3(bytes, stream: 4, by: size) == [
        WatchedFrame(.http3(type: 1), isSent: false, stream: 4, length: 2),
        WatchedFrame(.http3(type: 0), isSent: false, stream: 4, length: 70),
        WatchedFrame(.http3(type: 0x21), isSent: false, stream: 4, length: 0),
      ])
  }

  @Test(arguments: [1, 1000]) func streamsOfOneDirectionSayWhatTheyAre(_ size: Int) {
    #expect(
      http3([0, 4, 2, 1, 0, 7, 1, 8], stream: 3, by: size) == [
        WatchedFrame(.http3Stream(type: 0), isSent: false, stream: 3, length: 0),
        WatchedFrame(.http3(type: 4), isSent: false, stream: 3, length: 2, payload: [1, 0]),
        WatchedFrame(.http3(type: 7), isSent: false, stream: 3, length: 1, payload: [8]),
      ])
    #expect(
      http3([2, 1, 2, 3], stream: 7, by: size) == [WatchedFrame(.http3Stream(type: 2), isSent: false, stream: 7, length: 0)])
  }
}
