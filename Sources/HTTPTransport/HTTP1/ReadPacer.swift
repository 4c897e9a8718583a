import CLoadingProcess
import NIOCore

/// Decides when a connection reads its socket again: mostly at once, but after a pause while a large body arrives fast.
///
/// A client that is faster than its server would be woken for every few kilobytes, which costs more than reading them. While the body arrives fast
/// and little waits in the socket, reading is delayed by 200 µs, as network cards coalesce their interrupts.
struct ReadPacer {
  /// A read event with at least this many bytes belongs to a large body.
  private static let burst = 32 * 1024
  /// If at least this many bytes wait in the socket, they are read without a pause.
  private static let worthwhile = 64 * 1024
  private static let pause = TimeAmount.microseconds(200)
  /// Read events that are further apart than this don't belong to the same fast body.
  private static let gap = TimeAmount.milliseconds(1)

  private var received = 0
  private var lastTurn = NIODeadline.uptimeNanoseconds(0)
  private var socket = KnownSocket()

  mutating func note(_ bytes: ByteBuffer) { received += bytes.readableBytes }

  /// Reads on after a read event, at once or after the pause.
  mutating func readOn(_ context: ChannelHandlerContext) {
    guard let pause = endTurn(context.channel) else { return context.read() }
    let channel = context.channel
    context.eventLoop.scheduleTask(in: pause) { channel.read() }
  }

  /// The pause before reading on; nil for none.
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
