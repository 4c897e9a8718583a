import HTTPTransport
import LoadingModel
import NIOCore

/// Opens the outgoing connections of one FTP session, one at a time, and closes them at its end. Confined to the event loop.
final class FTPDialer: @unchecked Sendable {
  // @unchecked: made and used on the load's event loop alone.
  private let load: LoadContext
  private let streams: StreamDialer
  private var sockets: [(channel: any Channel, stream: FTPStream)] = []
  private var dialing: EventLoopPromise<any Channel>?
  /// The number of calls of `dial`, and the number of the last one that has ended: sockets of ended calls aren't opened any more.
  private var (count, ended) = (0, 0)
  /// The timings of the connection that is being opened.
  private var timings = ConnectTimings()
  private var end: LoadError?

  init(_ load: LoadContext, _ streams: StreamDialer) {
    self.load = load
    self.streams = streams
  }

  /// Opens a connection over the load's route, which may lead through a proxy.
  /// - Parameter patience: Seconds after which the attempt fails; nil for no other limit than the load's timeouts.
  func dial(
    _ host: String, _ port: Int, _ role: FTPStream.Role, _ timings: ConnectTimings, patience: Double?
  ) async throws(LoadError) -> FTPStream {
    if let end { throw end }
    let promise = load.eventLoop.makePromise(of: (any Channel).self)
    dialing = promise
    self.timings = timings
    count += 1
    let number = count
    defer {
      dialing = nil
      ended = number
    }
    let settled = sockets.count
    if let patience { giveUp(promise, after: patience) }
    let origin = Origin(scheme: Origin.streamScheme, host: host, port: port)
    Task(executorPreference: load.executor) { [self] in
      do throws(LoadError) {
        // If the promise has failed meanwhile, the channel isn't leaked: `prepare` has added it to `sockets`, which are closed.
        // The address of a data connection comes from the server, so the app's table `connectTo` doesn't apply to it.
        let isData = if case .data = role { true } else { false }
        let channel = try await streams.openChannel(
          origin, load, self.timings, isAsSaid: isData, isWanted: { [self] in isPending(number) }
        ) { [self] in try prepare($0, role, number) }
        promise.succeed(channel)
      } catch {
        promise.fail(error)
      }
    }
    do {
      let channel = try await promise.futureResult.get()
      // The handler is taken from `sockets` and not from the channel, which the server may have closed after sending everything.
      guard let stream = sockets.last(where: { $0.channel === channel })?.stream else { throw end ?? .cancelled(.connect) }
      stream.demand()
      return stream
    } catch {
      closeSockets(from: settled)
      throw TransportErrors.connecting(error)
    }
  }

  /// Closes all sockets. An attempt under way fails with `error`.
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
    for socket in sockets[min(index, sockets.count)...] { socket.channel.close(promise: nil) }
    sockets.removeSubrange(min(index, sockets.count)...)
  }

  /// Whether a socket is bound to one of these local addresses.
  func isBound(to addresses: Set<String>) -> Bool {
    sockets.contains { $0.channel.boundAddress.map(addresses.contains) ?? false }
  }

  /// Whether the call of `dial` with this number is still waiting for its connection.
  private func isPending(_ number: Int) -> Bool { end == nil && number > ended }

  /// Adds the stream to a socket's channel before it is connected: behind a proxy the server's first bytes may arrive with the proxy's answer.
  private func prepare(_ channel: any Channel, _ role: FTPStream.Role, _ number: Int) throws {
    guard isPending(number) else { throw ChannelError.ioOnClosedChannel }
    let stream = FTPStream(load, role)
    sockets.append((channel, stream))
    try channel.pipeline.syncOperations.addHandler(stream)
  }
}
