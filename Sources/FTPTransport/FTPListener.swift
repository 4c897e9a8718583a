import HTTPTransport
import LoadingModel
import NIOCore
import NIOPosix

/// A port on which the server connects for one transfer (active mode: RFC 959, 5.2; RFC 2428, 2). Confined to the event loop.
final class FTPListener: @unchecked Sendable {
  // @unchecked: made and used on the load's event loop alone; the listening channel is on the same loop.
  private enum State {
    case waiting
    /// The server's connection, which `accepted` hasn't returned yet.
    case connected(FTPStream)
    case over
  }

  private let load: LoadContext
  private let accepting: EventLoopPromise<FTPStream>
  private let host: String
  private var channel: (any Channel)?
  private var state = State.waiting

  private init(_ load: LoadContext, _ host: String) {
    self.load = load
    self.host = host
    accepting = load.eventLoop.makePromise(of: FTPStream.self)
  }

  /// Listens at `address`, for a connection from `host` alone.
  static func open(at address: String, for host: String, _ load: LoadContext) async throws(LoadError) -> FTPListener {
    let listener = FTPListener(load, host)
    do {
      listener.channel = try await ServerBootstrap(group: load.eventLoop)
        .serverChannelOption(.backlog, value: 4)
        .serverChannelInitializer { channel in channel.eventLoop.makeCompletedFuture { channel.closeOnExec() } }
        .childChannelOption(.autoRead, value: false)
        .childChannelOption(.writeBufferWaterMark, value: .init(low: 64 * 1024, high: 256 * 1024))
        .childChannelInitializer { listener.take($0) }
        .bind(host: address, port: 0).get()
      return listener
    } catch {
      listener.accepting.fail(error)
      throw TransportErrors.connecting(error)
    }
  }

  var port: Int { channel?.localAddress?.port ?? 0 }

  func accepted() async throws(LoadError) -> FTPStream {
    do {
      let stream = try await accepting.futureResult.get()
      state = .over
      return stream
    } catch {
      throw TransportErrors.connecting(error)
    }
  }

  /// Ends the wait for the server's connection. If that has come already, `accepted` returns it all the same.
  func fail(_ error: LoadError) {
    accepting.fail(error)
    stopListening()
  }

  /// Closes the port, and the server's connection if `accepted` hasn't returned it.
  func close() {
    accepting.fail(ChannelError.ioOnClosedChannel)
    stopListening()
    if case .connected(let stream) = state { stream.close() }
    state = .over
  }

  private func stopListening() {
    channel?.close(promise: nil)
    channel = nil
  }

  /// A connection from another host than the server's is closed, and so is every further one: the server could open any number of them.
  private func take(_ child: any Channel) -> EventLoopFuture<Void> {
    child.closeOnExec()
    guard case .waiting = state, child.remoteAddress?.ipAddress == host else {
      return child.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
    }
    let stream = FTPStream(load, .data)
    do {
      try child.pipeline.syncOperations.addHandler(stream)
    } catch {
      return child.eventLoop.makeFailedFuture(error)
    }
    state = .connected(stream)
    accepting.succeed(stream)
    return child.eventLoop.makeSucceededVoidFuture()
  }
}
