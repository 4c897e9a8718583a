import HTTPTransport
import LoadingModel
import NIOCore

/// Opens the sockets of one FTP session, one at a time, and closes what is left of them. Confined to the event loop.
final class FTPDialer: @unchecked Sendable {
  // @unchecked: confined to the load's event loop.
  private let load: LoadContext
  private let dialer: SocketDialer
  private var sockets: [any Channel] = []
  private var dialing: EventLoopPromise<any Channel>?
  private var end: LoadError?

  init(_ load: LoadContext) {
    self.load = load
    dialer = SocketDialer(executor: load.executor, clock: load.clock)
  }

  /// - Parameter patience: Seconds after which the attempt is given up; nil leaves that to the load's own deadlines.
  func dial(
    _ host: String, _ port: Int, _ role: FTPStream.Role, _ timings: ConnectTimings, patience: Double?
  ) async throws(LoadError) -> FTPStream {
    if let end { throw end }
    let promise = load.eventLoop.makePromise(of: (any Channel).self)
    dialing = promise
    defer { dialing = nil }
    let settled = sockets.count
    if let patience { giveUp(promise, after: patience) }
    dialer.connect(host: host, port: port, timings: timings, began: began).whenComplete { result in
      switch result {
      // Nobody takes a channel whose promise has been failed before: `began` has noted it, and it is closed.
      case .success(let channel): promise.succeed(channel)
      case .failure(let error): promise.fail(error)
      }
    }
    do {
      let channel = try await promise.futureResult.get()
      let stream = FTPStream(load, role)
      try channel.pipeline.syncOperations.addHandler(stream)
      return stream
    } catch {
      closeSockets(from: settled)
      throw TransportErrors.connecting(error)
    }
  }

  /// Closes every socket; the error is what an attempt under way ends with.
  func end(_ error: LoadError) {
    if end == nil { end = error }
    dialing?.fail(error)
    closeSockets(from: 0)
  }

  private func giveUp(_ promise: EventLoopPromise<any Channel>, after patience: Double) {
    load.clock.wake(at: load.clock.now.advanced(bySeconds: patience)) {
      promise.futureResult.eventLoop.execute {
        promise.fail(LoadError(.timedOut, .connect, "the server's port for data did not answer for \(Int(patience)) seconds"))
      }
    }
  }

  private func closeSockets(from index: Int) {
    for socket in sockets[min(index, sockets.count)...] { socket.close(promise: nil) }
    sockets.removeSubrange(min(index, sockets.count)...)
  }

  @Sendable private func began(_ channel: any Channel) -> EventLoopFuture<Void> {
    guard end == nil else { return channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
    sockets.append(channel)
    return channel.eventLoop.makeSucceededVoidFuture()
  }
}
