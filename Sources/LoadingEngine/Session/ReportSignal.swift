import CLoadingProcess
import NIOCore
import NIOPosix

/// The signal by which a process is asked to tell what its loading holds; counted by a descriptor that an event loop reads.
package enum ReportSignal {
  /// Calls `action` on an event loop after each signal, with the number that came with it, for the life of the process.
  ///
  /// Nothing happens where the program uses the signal itself, and the second time.
  package static func begin(_ action: @escaping @Sendable (_ value: Int32) -> Void) {
    let descriptor = uls_report_signal_begin()
    guard descriptor >= 0 else { return }
    let bootstrap = NIOPipeBootstrap(group: EventLoops.any()).channelInitializer { channel in
      channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Reader(action)) }
    }
    // A loop that can't read it leaves the signal counted and unanswered.
    _ = bootstrap.takingOwnershipOfDescriptor(input: descriptor)
  }

  private final class Reader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let action: @Sendable (Int32) -> Void

    init(_ action: @escaping @Sendable (Int32) -> Void) { self.action = action }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { action(uls_report_signal_value()) }
  }
}
