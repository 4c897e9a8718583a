import LoadingModel
import NIOCore
import Testing

@testable import HTTPTransport

/// Bytes that no server would send: whatever comes, the machine says an event or an error.
@Suite(.timeLimit(.minutes(10))) struct HTTP2NonsenseTests {
  private func conversation(_ rig: inout HTTP2Rig) -> [UInt8] {
    let fields = [(":status", "200"), ("content-length", "6"), ("date", "Mon, 21 Oct 2013 20:13:21 GMT"), ("x-name", "value")]
    let interim = rig.head(1, [(":status", "103"), ("link", "</a>")])
    let first = rig.head(1, fields)
    let block = rig.block(fields)
    let second = Frame.make(1, 0x28, 3, [2, 0, 0, 0, 0, 9] + block.prefix(3) + [0, 0]) + Frame.make(9, 4, 3, Array(block.dropFirst(3)))
    return interim + first + Frame.data(1, "abc") + Frame.ping() + second + Frame.make(0, 9, 1, [1, 0x64, 0x65, 0x66, 0])
      + Frame.window(0, 9) + Frame.window(3, 9) + Frame.settings([(3, 10), (4, 1000)]) + Frame.data(3, "abcdef")
      + rig.head(3, [("digest", "x")], ends: true) + Frame.reset(5, .refusedStream) + Frame.goAway(7)
  }

  /// Feeds `bytes` in pieces until they, or the connection, come to their end.
  private func endure(_ bytes: [UInt8], pieces: Int) throws {
    var rig = try HTTP2Rig()
    for _ in 0..<4 { rig.start() }
    var rest = bytes[...]
    while !rest.isEmpty {
      guard rig.violation(Array(rest.prefix(pieces))) == nil else { return }
      rest = rest.dropFirst(pieces)
    }
    #expect(rig.machine.output.readableBytes < 1 << 20)
  }

  @Test func unchangedItIsUnderstood() throws {
    var rig = try HTTP2Rig()
    let bytes = conversation(&rig)
    for _ in 0..<4 { rig.start() }
    let events = try rig.feed(bytes)
    #expect(events.contains("end 1") && events.contains("end 3") && events.last == "away []")
  }

  @Test func everyChangedByteIsEndured() throws {
    var rig = try HTTP2Rig()
    let bytes = conversation(&rig)
    for index in bytes.indices {
      for value in [0, 1, 0x7F, 0x80, 0xFF, bytes[index] ^ 0x10, bytes[index] &+ 1] {
        var changed = bytes
        changed[index] = UInt8(value)
        try endure(changed, pieces: index % 2 == 0 ? changed.count : 7)
      }
    }
  }

  @Test func everyMissingByteIsEndured() throws {
    var rig = try HTTP2Rig()
    let bytes = conversation(&rig)
    for index in bytes.indices { try endure(Array(bytes[..<index] + bytes[(index + 1)...]), pieces: 11) }
  }

  @Test func noiseIsEndured() throws {
    var seed: UInt64 = 42
    func next() -> UInt64 {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return seed >> 33
    }
    for _ in 0..<2000 {
      // Frames of all types with plausible lengths and streams.
      var bytes: [UInt8] = []
      for _ in 0..<8 {
        let payload = (0..<Int(next() % 24)).map { _ in UInt8(truncatingIfNeeded: next()) }
        bytes += Frame.make(UInt8(next() % 11), UInt8(truncatingIfNeeded: next()), Int32(next() % 10), payload)
      }
      try endure(bytes, pieces: Int(next() % 40) + 1)
    }
  }
}
