import LoadingModel
import NIOCore
import NIOPosix

/// A name server that says what the test wants (RFC 1035), on the port where resolvers look for one.
final class NameServer: Sendable {
  enum Kind: UInt16, Sendable {
    case a = 1
    case aaaa = 28
    /// HTTPS records (RFC 9460).
    case https = 65
  }

  enum Answer: Sendable {
    /// An address in the form of the protocol: 4 or 16 bytes; and for how many seconds it may be kept.
    case address([UInt8], lifetime: UInt32 = 30)
    /// HTTPS records in the form of the protocol, and for how many seconds they may be kept.
    case bindings([[UInt8]], lifetime: UInt32 = 30)
    /// The name is there, addresses of this kind aren't.
    case nothing
    /// NXDOMAIN.
    case absent
    /// SERVFAIL.
    case broken
    case silence
  }

  private final class Tally: Sendable {
    let counts = Mutex<[String: Int]>([:])
  }

  private let channel: any Channel
  private let tally: Tally

  /// Answers on 127.0.0.1, port 53.
  init(_ answer: @escaping @Sendable (_ name: String, _ kind: Kind) -> Answer) async throws {
    let tally = Tally()
    self.tally = tally
    channel = try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            Questions { name, kind, isForAddresses in
              if isForAddresses || kind == .https { tally.counts.withLock { $0["\(name) \(kind)", default: 0] += 1 } }
              return answer(name, kind)
            })
        }
      }
      .bind(host: "127.0.0.1", port: 53).get()
  }

  /// How often it was asked for addresses, or for HTTPS records. Questions for their lifetime alone have an additional record (EDNS).
  func count(_ name: String, _ kind: Kind) -> Int { tally.counts.withLock { $0["\(name) \(kind)"] ?? 0 } }

  func stop() async { try? await channel.close() }

  private final class Questions: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    typealias OutboundOut = AddressedEnvelope<ByteBuffer>
    private let answer: (String, Kind, Bool) -> Answer

    init(_ answer: @escaping (String, Kind, Bool) -> Answer) { self.answer = answer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let envelope = unwrapInboundIn(data)
      guard let reply = reply(to: envelope.data) else { return }
      context.writeAndFlush(wrapOutboundOut(AddressedEnvelope(remoteAddress: envelope.remoteAddress, data: reply)), promise: nil)
    }

    private func reply(to query: ByteBuffer) -> ByteBuffer? {
      var query = query
      guard let id = query.readInteger(as: UInt16.self), query.readBytes(length: 8) != nil,
        let additions = query.readInteger(as: UInt16.self)
      else { return nil }
      var labels: [String] = []
      while let length = query.readInteger(as: UInt8.self), length > 0, let label = query.readString(length: Int(length)) {
        labels.append(label)
      }
      guard let type = query.readInteger(as: UInt16.self) else { return nil }
      let outcome = Kind(rawValue: type).map { answer(labels.joined(separator: "."), $0, additions == 0) } ?? .nothing
      var records: [[UInt8]] = []
      var lifetime: UInt32 = 0
      // RFC 1035, 4.1.1: 2 is SERVFAIL, 3 NXDOMAIN.
      var code: UInt16 = 0
      switch outcome {
      case .address(let bytes, let seconds): (records, lifetime) = ([bytes], seconds)
      case .bindings(let bindings, let seconds): (records, lifetime) = (bindings, seconds)
      case .nothing: break
      case .absent: code = 3
      case .broken: code = 2
      case .silence: return nil
      }
      var reply = ByteBuffer()
      // A response, recursion asked for and available; one question.
      reply.writeMultipleIntegers(id, 0x8180 | code, UInt16(1), UInt16(records.count), UInt16(0), UInt16(0))
      for label in labels {
        reply.writeInteger(UInt8(label.utf8.count))
        reply.writeString(label)
      }
      reply.writeMultipleIntegers(UInt8(0), type, UInt16(1))
      for record in records {
        // The name is the question's.
        reply.writeMultipleIntegers(UInt16(0xC00C), type, UInt16(1), lifetime, UInt16(record.count))
        reply.writeBytes(record)
      }
      return reply
    }
  }
}
