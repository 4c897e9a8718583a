import HTTPTransport
import LoadingModel
import NIOCore

/// Opens the sockets of one FTP session, one at a time, and closes what is left of them. Confined to the event loop.
final class FTPDialer: @unchecked Sendable {
  // @unchecked: made and used on the load's event loop alone.
  private let load: LoadContext
  private let streams: StreamDialer
  private var sockets: [(channel: any Channel, stream: FTPStream)] = []
  private var dialing: EventLoopPromise<any Channel>?
  /// Attempts so far, and the last whose outcome is known: it opens no more sockets.
  private var (count, ended) = (0, 0)
  /// Of the connection that is opened.
  private var timings = ConnectTimings()
  private var end: LoadError?

  init(_ load: LoadContext, _ streams: StreamDialer) {
    self.load = load
    self.streams = streams
  }

  /// Connects by the load's route, which may lead through a proxy.
  /// - Parameter patience: Seconds after which the attempt is given up; nil leaves that to the load's own deadlines.
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
        // A channel whose promise has failed before has no taker: `prepare` has noted it, and it is closed.
        // Connections for data lead where the peer of the control connection says.
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
      // Not asked of the channel: the server may have sent everything, and closed it.
      guard let stream = sockets.last(where: { $0.channel === channel })?.stream else { throw end ?? .cancelled(.connect) }
      stream.demand()
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
    for socket in sockets[min(index, sockets.count)...] { socket.channel.close(promise: nil) }
    sockets.removeSubrange(min(index, sockets.count)...)
  }

  /// Whether one of its sockets is bound to one of these addresses.
  func isBound(to addresses: Set<String>) -> Bool {
    sockets.contains { $0.channel.boundAddress.map(addresses.contains) ?? false }
  }

  /// Whether the call with this number still waits for its connection.
  private func isPending(_ number: Int) -> Bool { end == nil && number > ended }

  /// The stream is there from the beginning: behind a proxy the server's first bytes may come with the tunnel.
  private func prepare(_ channel: any Channel, _ role: FTPStream.Role, _ number: Int) throws {
    guard isPending(number) else { throw ChannelError.ioOnClosedChannel }
    let stream = FTPStream(load, role)
    sockets.append((channel, stream))
    try channel.pipeline.syncOperations.addHandler(stream)
  }
}
