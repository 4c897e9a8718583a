import LoadingModel
import NIOCore
import NIOPosix
import ProtocolRules

/// Connects sockets: resolves the name off the loop and races the addresses (RFC 8305). A value, used on the session's event loop.
package struct SocketDialer {
  let executor: LoopExecutor
  let clock: any LoadClock
  private let settings: SocketSettings
  private let adopter: SocketAdopter
  /// The session's cache of name look-ups.
  package let hosts: HostCache
  package let plan: DialPlan

  package init(
    executor: LoopExecutor, clock: any LoadClock, settings: SocketSettings = SocketSettings(), plan: DialPlan = DialPlan()
  ) {
    self.executor = executor
    self.clock = clock
    self.settings = settings
    adopter = SocketAdopter(executor.eventLoop)
    self.plan = plan
    hosts = HostCache(eventLoop: executor.eventLoop, clock: clock, service: plan.resolver)
  }

  var usesMultipath: Bool { settings.usesMultipath }

  /// Opens a channel connected to the server of `origin`: at its Unix socket, its place in the app's table (`connectTo`), or its own host.
  /// - Parameter isWanted: Whether a load still needs the connection; asked on the event loop, before anything is sent.
  func connect(
    _ origin: Origin, timings: ConnectTimings, for purpose: SocketPurpose, isWanted: @escaping @Sendable () -> Bool = { true },
    began: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
  ) -> EventLoopFuture<any Channel> {
    if let path = plan.socketPath(for: origin) { return connect(socket: path, timings: timings, isWanted, began) }
    if let fault = plan.places.fault {
      let error = LoadError(.cannotConnectToHost, .connect, "connectTo of nameResolution is wrong: \(fault); correct it")
      return executor.eventLoop.makeFailedFuture(error)
    }
    let place = plan.place(of: origin)
    return connect(host: place.host, port: place.port, timings: timings, for: purpose, isWanted: isWanted, began: began)
  }

  /// A connected channel that doesn't read by itself. Its errors are for `TransportErrors.connecting`.
  ///
  /// - Parameters:
  ///   - host: A name, or an address without brackets.
  ///   - purpose: What the socket is for.
  ///   - patience: How long each address may take to answer.
  ///   - isWanted: Whether there still is a load for it; asked on the event loop, before anything is sent.
  ///   - began: Told of each socket before anything is read from it, and before it is connected unless that is done at once (`LoopbackSocket`); a
  ///     failure gives that socket up.
  package func connect(
    host: String, port: Int, timings: ConnectTimings, for purpose: SocketPurpose = .standard, patience: TimeAmount = .seconds(75),
    isWanted: @escaping @Sendable () -> Bool = { true }, began: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
  ) -> EventLoopFuture<any Channel> {
    if let literal = try? SocketAddress(ipAddress: host, port: port) {
      // Not set again: an attempt connects to a proxy a second time if the proxy closed the connection when it refused the tunnel.
      if timings.connectStart == nil { timings.connectStart = clock.now }
      timings.peer = literal
      return SocketDialer.telling(timings, host, port) { connect(to: literal, purpose, patience, isWanted, began) }
    }
    let promise = executor.eventLoop.makePromise(of: (any Channel).self)
    race(host, port, timings: timings, for: purpose, promise, patience: patience, isWanted: isWanted, began: began).begin()
    return promise.futureResult
  }

  /// A race of the addresses of `host`, a name, which hasn't begun.
  /// - Parameter isAlone: Whether no other race runs beside it.
  func race(
    _ host: String, _ port: Int, timings: ConnectTimings, for purpose: SocketPurpose, _ promise: EventLoopPromise<any Channel>,
    isAlone: Bool = true, patience: TimeAmount = .seconds(75), isWanted: @escaping @Sendable () -> Bool,
    began: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
  ) -> ConnectRace {
    ConnectRace(host, port, hosts, clock, timings, promise) { address, isOnly, note in
      // A socket whose first bytes are sent with its first packet counts as connected before the server has answered: it would win every
      // race.
      connect(to: address, isOnly && isAlone ? purpose : SocketPurpose(traffic: purpose.traffic), patience, isWanted) { channel in
        note(channel)
        return began(channel)
      }
    }
  }

  /// Reports the steps of connecting to the only address to the watcher.
  private static func telling(
    _ timings: ConnectTimings, _ place: String, _ port: Int, _ connect: () -> EventLoopFuture<any Channel>
  ) -> EventLoopFuture<any Channel> {
    guard timings.watcher != nil else { return connect() }
    timings.tell(.connecting(to: place, port: port))
    let connecting = connect()
    connecting.assumeIsolated().whenComplete { result in
      switch result {
      case .success: timings.tell(.connected(to: place, port: port))
      case .failure(let error): timings.tell(.failed(to: place, port: port, reason: TransportErrors.connecting(error).message))
      }
    }
    return connecting
  }

  private func connect(
    to address: SocketAddress, _ purpose: SocketPurpose, _ patience: TimeAmount, _ isWanted: () -> Bool,
    _ began: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
  ) -> EventLoopFuture<any Channel> {
    if let open = settings.opensChannel { return open(address, executor.eventLoop, began) }
    let options = settings.options(for: purpose)
    if !settings.usesMultipath, LoopbackSocket.reaches(address) {
      guard isWanted() else { return executor.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
      do throws(IOError) {
        if let channel = try adopter.connect(to: address, options, { SocketDialer.prepare($0, began) }) { return channel }
      } catch {
        return executor.eventLoop.makeFailedFuture(error)
      }
    }
    return ClientBootstrap(group: executor.eventLoop)
      .enableMPTCP(settings.usesMultipath)
      .connectTimeout(patience)
      .channelInitializer { channel in
        SocketSettings.prepare(channel, options)
        return SocketDialer.prepare(channel, began)
      }
      .connect(to: address)
  }

  /// Sets the channel's options and calls `began`. Done here, as NIO's bootstrap allocates a future for each option.
  fileprivate static func prepare(
    _ channel: any Channel, _ began: (any Channel) -> EventLoopFuture<Void>
  ) -> EventLoopFuture<Void> {
    guard let own = channel.syncOptions else { return began(channel) }
    do {
      try own.setOption(.autoRead, value: false)
      try own.setOption(.recvAllocator, value: SocketSettings.receiveBuffers)
      try own.setOption(.writeBufferWaterMark, value: .init(low: 64 * 1024, high: 256 * 1024))
    } catch {
      return channel.eventLoop.makeFailedFuture(error)
    }
    return began(channel)
  }
}

// Connecting to Unix sockets: connect(2) succeeds or fails at once.
extension SocketDialer {
  /// Seconds between the attempts to connect to a Unix socket whose backlog is full, and their number (75 seconds in all).
  private static let pause = 0.05
  private static let pauseLimit = 1500

  private func connect(
    socket path: String, timings: ConnectTimings, _ isWanted: @escaping @Sendable () -> Bool,
    _ began: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
  ) -> EventLoopFuture<any Channel> {
    if timings.connectStart == nil { timings.connectStart = clock.now }
    let promise = executor.eventLoop.makePromise(of: (any Channel).self)
    attempt(path, SocketDialer.pauseLimit, promise, isWanted, began)
    return promise.futureResult
  }

  private func attempt(
    _ path: String, _ left: Int, _ promise: EventLoopPromise<any Channel>, _ isWanted: @escaping @Sendable () -> Bool,
    _ began: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
  ) {
    do throws(LoadError) {
      guard isWanted() else { throw .cancelled(.connect) }
      switch try UnixSocket.connect(path) {
      case .connected(let descriptor):
        adopter.adopt(descriptor) { SocketDialer.prepare($0, began) }.cascade(to: promise)
      case .full where left > 0:
        clock.wake(at: clock.now.advanced(bySeconds: SocketDialer.pause)) { [executor] in
          executor.eventLoop.execute { attempt(path, left - 1, promise, isWanted, began) }
        }
      case .full:
        throw LoadError(.timedOut, .connect, "the server at the Unix socket “\(path)” did not accept the connection in time")
      }
    } catch {
      promise.fail(error)
    }
  }
}
