import CLoadingProcess
import NIOCore
import NIOPosix

/// The Unix signal that asks a process to report the objects which its sessions still hold. A file descriptor counts the signals, and an event
/// loop reads it.
package enum ReportSignal {
  /// Calls `action` on an event loop after each signal, with the number that came with it, for the life of the process.
  ///
  /// Has no effect if the program handles the signal itself, or at a second call.
  package static func begin(_ action: @escaping @Sendable (_ value: Int32) -> Void) {
    let descriptor = uls_report_signal_begin()
    guard descriptor >= 0 else { return }
    let bootstrap = NIOPipeBootstrap(group: EventLoops.any()).channelInitializer { channel in
      channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Reader(action)) }
    }
    // If the loop can't read the descriptor, signals are counted but have no effect.
    _ = bootstrap.takingOwnershipOfDescriptor(input: descriptor)
  }

  private final class Reader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let action: @Sendable (Int32) -> Void

    init(_ action: @escaping @Sendable (Int32) -> Void) { self.action = action }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { action(uls_report_signal_value()) }
  }
}
