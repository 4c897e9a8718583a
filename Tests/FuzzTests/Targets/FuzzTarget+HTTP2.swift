import Foundation
@testable import LoadingModel
import NIOCore

@testable import HTTPTransport
@testable import ProtocolRules

extension FuzzTarget {
  /// A frame: length, type, flags, stream, payload.
  private static func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [0, UInt8(payload.count >> 8), UInt8(truncatingIfNeeded: payload.count), type, flags, 0, 0, 0, stream] + payload
  }

  private static let settings = frame(4, 0, 0, [])
  /// `:status: 200` and `a: b`.
  private static let section: [UInt8] = [0x88, 0x40, 1, 0x61, 1, 0x62]

  static let http2 = [
    // Frames for a client with three streams. Nothing arrives that wasn't sent, and the memory stays within its bounds.
    FuzzTarget(
      "http2-frames",
      binary: [
        [8] + settings + frame(1, 4, 1, section) + frame(0, 1, 1, Array("hello".utf8)),
        [3] + settings + frame(1, 0, 3, [0x88]) + frame(9, 4, 3, Array(section.dropFirst())) + frame(3, 0, 3, [0, 0, 0, 8]),
        [5] + frame(4, 0, 0, [0, 4, 0, 0, 0, 1]) + frame(8, 0, 0, [0, 0, 1, 0]) + frame(6, 0, 0, [0, 1, 2, 3, 4, 5, 6, 7])
          + frame(7, 0, 0, [0, 0, 0, 1, 0, 0, 0, 0]),
        [60] + settings + frame(0, 8, 1, [2, 0x61, 0, 0]) + frame(10, 0, 1, [0, 0] + Array("h3=\":443\"".utf8)),
      ]
    ) { bytes in
      var input = FuzzInput(bytes)
      var machine = HTTP2Machine(scheme: "https")
      machine.begin()
      for number in 0..<3 {
        let headers = HeaderFields([("Host", "example.org"), ("Number", "\(number)")])
        let request = OutgoingRequest(
          method: number == 2 ? "POST" : "GET", target: "/", headers: headers, isChunked: false, closesAfter: false)
        _ = machine.start(nil, request, endsStream: number < 2)
      }
      var (came, told) = (0, 0)
      for piece in input.pieces() {
        machine.append(ByteBuffer(bytes: piece))
        came += piece.count
        machine.now += 1_000_000
        do {
          while let event = try machine.next() {
            if case .data(_, let data) = event { told += data.readableBytes }
          }
        } catch { return }
        expect(told <= came, "\(told) bytes of \(came)")
        expect(machine.output.readableBytes <= 4096 + 64 * came, "\(machine.output.readableBytes) bytes of answers to \(came)")
      }
    },
    // Sections that follow each other, with the table between them.
    FuzzTarget(
      "hpack",
      binary: [
        [1] + section + [0xBE, 0x3F, 0x81, 0x1F], [3, 0x82, 0x86, 0x84, 0x41, 0x8C, 0xF1, 0xE3, 0xC2, 0xE5, 0xF2, 0x3A, 0x6B, 0xA0],
      ]
    ) { bytes in
      var input = FuzzInput(bytes)
      var decoder = HPACKDecoder()
      for piece in input.pieces() {
        var section = FieldSection()
        do {
          try Array(piece).withUnsafeBytes { try decoder.decode($0, into: &section) }
        } catch { return }
        expect(section.fields.count <= FieldSection.fieldLimit, "\(section.fields.count) fields")
      }
    },
    // What our encoder writes, our decoder reads.
    FuzzTarget("hpack-there-and-back", seeds: ["name\0value\0accept\0*/*\0name\0value", "x-a\0ä\0\0"]) { bytes in
      var input = FuzzInput(bytes)
      let texts = input.texts(atMost: 20).map { $0.lowercased() }
      var fields: [(String, String)] = []
      for index in stride(from: 0, to: texts.count - 1, by: 2) where FieldSyntaxRules.isToken(texts[index]) {
        if FieldSyntaxRules.isFieldValue(texts[index + 1]) { fields.append((texts[index], texts[index + 1].trimmingSpaces().description)) }
      }
      var (encoder, decoder) = (HPACKEncoder(), HPACKDecoder())
      for _ in 0..<2 {
        let bound = fields.reduce(HPACKEncoder.beginningBound) { $0 + HPACKEncoder.bound($1.0, $1.1) }
        var room = [UInt8](repeating: 0, count: bound)
        let count = room.withUnsafeMutableBytes { buffer in
          var output = HPACKOutput(buffer)
          encoder.begin(&output)
          for (name, value) in fields { encoder.append(name, value, .transient, &output) }
          return output.count
        }
        expect(count <= bound, "\(count) bytes, the bound is \(bound)")
        var section = FieldSection()
        do {
          try room[..<count].withUnsafeBytes { try decoder.decode($0, into: &section) }
        } catch { expect(false, "it can't be read") }
        if section.flaw == nil { expect(section.fields.map(\.name) == fields.map(\.0), "\(section.fields)") }
      }
    },
  ]
}
