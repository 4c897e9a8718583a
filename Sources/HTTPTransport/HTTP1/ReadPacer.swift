import CLoadingProcess
import NIOCore

/// When a connection reads on: mostly at once.
///
/// A client that is faster than its server would be woken for every few kilobytes, which costs more than reading them. While bytes come fast and
/// nothing waits in the socket, it looks again after a moment, as network cards hold back their interrupts.
struct ReadPacer {
  /// Bytes of one turn of reads that tell of a big body.
  private static let burst = 32 * 1024
  /// Bytes in the socket that are worth a turn.
  private static let worthwhile = 64 * 1024
  private static let pause = TimeAmount.microseconds(200)
  /// Between turns of the same burst.
  private static let gap = TimeAmount.milliseconds(1)

  private var received = 0
  private var lastTurn = NIODeadline.uptimeNanoseconds(0)
  private var socket = KnownSocket()

  mutating func note(_ bytes: ByteBuffer) { received += bytes.readableBytes }

  /// The turn of reads is over, and there is room for more.
  mutating func readOn(_ context: ChannelHandlerContext) {
    guard let pause = endTurn(context.channel) else { return context.read() }
    let channel = context.channel
    context.eventLoop.scheduleTask(in: pause) { channel.read() }
  }

  /// After which time to read on; nil for at once.
  private mutating func endTurn(_ channel: any Channel) -> TimeAmount? {
    defer { received = 0 }
    guard received >= ReadPacer.burst else { return nil }
    let now = NIODeadline.now()
    defer { lastTurn = now }
    guard now - lastTurn < ReadPacer.gap else { return nil }
    let waiting = socket.descriptor(of: channel).map { Int(uls_socket_waiting($0)) } ?? -1
    return waiting >= 0 && waiting < ReadPacer.worthwhile ? ReadPacer.pause : nil
  }
}
