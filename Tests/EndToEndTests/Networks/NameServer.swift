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

  /// Questions by their name and kind, and each by its number: a resolver that gets no answer for a while asks with the same once more.
  private final class Tally: Sendable {
    private let numbers = Mutex<[String: Set<UInt16>]>([:])
    func note(_ name: String, _ kind: Kind, number: UInt16) {
      _ = numbers.withLock { $0["\(name) \(kind)", default: []].insert(number) }
    }
    func count(_ name: String, _ kind: Kind) -> Int { numbers.withLock { $0["\(name) \(kind)"]?.count ?? 0 } }
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
            Questions { name, kind, number, isForAddresses in
              if isForAddresses || kind == .https { tally.note(name, kind, number: number) }
              return answer(name, kind)
            })
        }
      }
      .bind(host: "127.0.0.1", port: 53).get()
  }

  /// How often it was asked for addresses, or for HTTPS records. Questions for their lifetime alone have an additional record (EDNS).
  func count(_ name: String, _ kind: Kind) -> Int { tally.count(name, kind) }

  func stop() async { try? await channel.close() }

  private final class Questions: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    typealias OutboundOut = AddressedEnvelope<ByteBuffer>
    private let answer: (String, Kind, UInt16, Bool) -> Answer

    init(_ answer: @escaping (_ name: String, Kind, _ number: UInt16, _ isForAddresses: Bool) -> Answer) { self.answer = answer }

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
      let outcome = Kind(rawValue: type).map { answer(labels.joined(separator: "."), $0, id, additions == 0) } ?? .nothing
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
