import Foundation
@testable import LoadingModel
import NIOCore

@testable import HTTPTransport

#if HTTP3
  import CLoadingQUIC
  import CLoadingQUICServer
  import NIOEmbedded
#endif

extension FuzzTarget {
  static let http3 = frameScanners + quic

  private static let frameScanners = [
    // What watchers are told of frames is the same however they arrive.
    FuzzTarget(
      "frame-scanners",
      binary: [
        [0, 4, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 1, 9, 9], [3, 7, 0, 4, 2, 6, 64, 7, 1, 0, 1, 3, 9, 9, 9],
        [2, 1, 1, 3, 0, 0, 0, 0, 0x40, 3, 9, 9, 9],
      ]
    ) { bytes in
      var input = FuzzInput(bytes)
      // A request's stream, and one of the peer's control stream.
      let stream: Int64? = [nil, nil, 0, 3][input.number(below: 4)]
      let pieces = input.pieces()
      let whole = [pieces.flatMap { $0 }[...]]
      let (one, other) = (frames(pieces, stream), frames(whole, stream))
      expect(one == other, "in pieces: \(one), at once: \(other)")
    }
  ]

  private static func frames(_ pieces: [ArraySlice<UInt8>], _ stream: Int64?) -> [WatchedFrame] {
    var told: [WatchedFrame] = []
    var (http2, http3) = (HTTP2FrameScanner(isSent: false), HTTP3FrameScanner(stream: stream ?? 0, isSent: false))
    for piece in pieces {
      Array(piece).withUnsafeBytes { bytes in
        if stream == nil {
          http2.scan(bytes) { told.append($0) }
        } else {
          http3.scan(bytes) { told.append($0) }
        }
      }
    }
    return told
  }

  #if HTTP3
    private static let quic = [
      // Streams of a connection with three requests, as QUIC hands them on: types, frames, QPACK.
      FuzzTarget(
        "http3-streams",
        binary: [
          // The control stream: settings. A response whose fields are in the static table, with a body.
          [3, 4, 0, 4, 2, 6, 0x40, 0, 13, 1, 3, 0, 0, 0xD9, 0, 4, 0x61, 0x62, 0x63, 0x64],
          // An encoder stream: a field for the table; a response that refers to it.
          [7, 6, 2, 0x3F, 0xE1, 0x1F, 0x41, 0x61, 0, 8, 1, 6, 2, 0, 0xD9, 0x80],
          // GOAWAY; a push stream; an unknown one.
          [3, 7, 0, 4, 0, 7, 1, 4, 11, 2, 1, 0, 15, 2, 0x21, 9], [1, 3, 1, 1, 0],
        ]
      ) { bytes in
        guard var path = clientPath, let ssl = try? security().make() else { return }
        var (settings, events) = (uls_h3_default_settings(), HeardStreams.events)
        settings.maximum_section = 4096
        let heard = HeardStreams()
        let none = uls_h3_bytes(data: nil, length: 0)
        let own = Unmanaged.passUnretained(heard).toOpaque()
        guard let connection = uls_h3_client(ssl, &path, &settings, &events, own, none, none, 1_000_000_000) else { return }
        defer { uls_h3_free(connection) }
        guard uls_h3_pretend_requests(connection, 3) != 0 else { return }
        var rest = bytes
        var offsets: [Int64: UInt64] = [:]
        // Stream and end in one byte, the length in the next.
        while let first = rest.popFirst(), let length = rest.popFirst() {
          let stream = Int64(first >> 1) % 24
          let piece = Array(rest.prefix(Int(length)))
          rest = rest.dropFirst(piece.count)
          // QUIC ends the connection where a server sends on a stream of the client's that goes one way, or opens one that goes both ways.
          guard stream % 4 == 0 || stream % 4 == 3 else { continue }
          heard.came += piece.count
          let offset = offsets[stream, default: 0]
          offsets[stream] = offset + UInt64(piece.count)
          let goesOn = piece.withUnsafeBufferPointer {
            uls_h3_pretend_data(connection, stream, offset, uls_h3_bytes(data: $0.baseAddress, length: $0.count), CInt(first & 1))
          }
          expect(heard.data <= heard.came, "\(heard.data) bytes of \(heard.came)")
          guard goesOn != 0 else { return }
        }
      },
      // Datagrams for a client that has sent its first: of any kind, many with the connection's own identifiers.
      FuzzTarget(
        "quic-datagrams",
        binary: [
          [1, 0x80, 0, 0, 0, 0, 0x0A, 0x1A, 0x2A, 0x3A], [2, 0xC3, 0, 0, 0, 1, 0, 0x40, 0x20] + Array(repeating: 7, count: 40),
          [1, 0xF0, 0, 0, 0, 1] + Array(repeating: 3, count: 40), [0, 0x40] + Array(repeating: 5, count: 40),
        ]
      ) { bytes in
        guard var path = clientPath, let ssl = try? security().make() else { return }
        var (settings, events) = (uls_h3_default_settings(), HeardStreams.events)
        let heard = HeardStreams()
        let none = uls_h3_bytes(data: nil, length: 0)
        let own = Unmanaged.passUnretained(heard).toOpaque()
        var now: UInt64 = 1_000_000_000
        guard let connection = uls_h3_client(ssl, &path, &settings, &events, own, none, none, now) else { return }
        defer { uls_h3_free(connection) }
        var (buffer, batch) = ([UInt8](repeating: 0, count: 4096), uls_h3_batch())
        guard uls_h3_write(connection, &buffer, buffer.count, &batch, now) == ULS_H3_OPEN, batch.length > 0 else { return }
        // RFC 9000, 17.2: flags, version, destination and source with their lengths.
        let destination = Array(buffer[6..<(6 + Int(buffer[5]))])
        let place = 6 + destination.count
        let source = Array(buffer[(place + 1)..<(place + 1 + Int(buffer[place]))])
        for part in bytes.split(separator: 0xFE, maxSplits: 7) {
          var part = part
          let kind = part.popFirst() ?? 0
          var datagram: [UInt8] = []
          if kind & 1 != 0 {
            datagram = Array(part.prefix(5)) + [UInt8(source.count)] + source + [UInt8(destination.count)] + destination
            part = part.dropFirst(5)
          } else if kind & 2 != 0 {
            datagram = Array(part.prefix(1)) + source
            part = part.dropFirst(1)
          }
          datagram += part
          if kind & 4 != 0 { datagram += [UInt8](repeating: 0, count: max(0, 1200 - datagram.count)) }
          now += 1_000_000
          let state = datagram.withUnsafeBufferPointer {
            uls_h3_read(connection, &path, CInt(kind >> 6), uls_h3_bytes(data: $0.baseAddress, length: $0.count), now)
          }
          guard state == ULS_H3_OPEN else { return _ = uls_h3_failure(connection) }
          for _ in 0..<16 {
            guard uls_h3_write(connection, &buffer, buffer.count, &batch, now) == ULS_H3_OPEN, batch.length > 0 else { break }
          }
        }
        _ = uls_h3_expire(connection, now + 1_000_000_000)
      },
    ]

    private static let clientPath: uls_h3_path? = {
      guard let local = try? SocketAddress(ipAddress: "127.0.0.1", port: 50_000),
        let remote = try? SocketAddress(ipAddress: "127.0.0.1", port: 443)
      else { return nil }
      return uls_h3_path(local: local, remote: remote)
    }()

    private static func security() -> HTTP3Security {
      var settings = TLSSettings(minimumVersion: 0x0304, maximumVersion: 0x0304)
      settings.applicationProtocols = ["h3"]
      return HTTP3Security(
        origin: Origin(scheme: "https", host: "a.test", port: 443), settings: settings, policy: .none, identities: ClientIdentityCache(),
        tickets: TLSTicketStore(), questions: nil, eventLoop: EmbeddedEventLoop())
    }
  #else
    private static let quic: [FuzzTarget] = []
  #endif
}

#if HTTP3
  /// Counts what the events of a connection tell, and checks their order.
  private final class HeardStreams {
    var came = 0
    var data = 0
    var fieldBytes: [Int64: Int] = [:]

    static func of(_ own: UnsafeMutableRawPointer?) -> HeardStreams? {
      own.map { Unmanaged<HeardStreams>.fromOpaque($0).takeUnretainedValue() }
    }

    static var events: uls_h3_events {
      var events = uls_h3_events.unheard
      events.field = { own, stream, name, value in HeardStreams.of(own)?.fieldBytes[stream, default: 0] += name.length + value.length }
      events.section_ended = { own, stream, _ in
        FuzzTarget.expect(HeardStreams.of(own)?.fieldBytes[stream] ?? 0 < 1 << 20, "a section has a megabyte")
        HeardStreams.of(own)?.fieldBytes[stream] = nil
      }
      events.data = { own, _, bytes in HeardStreams.of(own)?.data += bytes.length }
      return events
    }
  }
#endif
