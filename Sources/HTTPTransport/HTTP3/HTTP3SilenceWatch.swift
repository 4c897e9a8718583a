#if HTTP3
  import LoadingModel
  import NIOCore

  /// Notices that the server of a connection has fallen silent.
  ///
  ///     heard -> doubtful -> dead
  ///       \----------^ (something comes)
  ///
  /// QUIC has a server acknowledge what it is sent, whatever its application does (RFC 9000, 13.2.1). One that was killed, and runs again, knows
  /// nothing of the connection and mostly can't say so: no error ever comes. Where nothing is heard, requests go elsewhere soon, as they may
  /// be sent again; whatever else is under way, as where a network is away for a while, waits as long as over HTTP/2 (`Liveness`).
  ///
  /// Owned by its connection, which hands itself in; confined to its event loop.
  final class HTTP3SilenceWatch: @unchecked Sendable {
    // @unchecked: confined to the event loop.
    // `@exclusivity(unchecked)`: as of the connection.

    private struct Wake {
      let time: Instant
      let scheduled: Scheduled<Void>
    }

    /// Nanoseconds of silence after which the server is asked whether it is there, while exchanges are under way.
    static let pingInterval: UInt64 = 15_000_000_000
    /// Seconds that the server has for an acknowledgement: some five probes with what a network usually takes (RFC 9002, 6.2).
    static let patience = 5.0
    /// Seconds of silence after which the connection is dead.
    static let limit = 40.0
    /// Seconds that a wake may come late; after more, this process was stopped, or its clock moved on: what has come meanwhile comes first.
    private static let lateness = 1.0

    private let clock: any LoadClock
    private let eventLoop: any EventLoop
    @exclusivity(unchecked) private var lastHeard = Instant(nanoseconds: 0)
    /// When the first thing was sent after that which the server has to acknowledge.
    @exclusivity(unchecked) private var lastAsked = Instant(nanoseconds: 0)
    @exclusivity(unchecked) private var wake: Wake?
    @exclusivity(unchecked) private var isDoubtful = false

    init(_ clock: any LoadClock, _ eventLoop: any EventLoop) { (self.clock, self.eventLoop) = (clock, eventLoop) }

    deinit { wake?.scheduled.cancel() }

    /// The connection is over.
    func end() { wake.take()?.scheduled.cancel() }

    /// The server has said something.
    func heard(at time: Instant) {
      lastHeard = time
      isDoubtful = false
    }

    /// Something is sent that the server has to acknowledge. If nothing comes, `connection` is told.
    func listen(for connection: HTTP3Connection) {
      if lastAsked <= lastHeard { lastAsked = clock.now }
      let due = lastAsked.advanced(bySeconds: HTTP3SilenceWatch.patience)
      if let wake, wake.time <= due { return }
      plan(isDoubtful ? deathTime : due, connection)
    }

    private var isUnheard: Bool { lastAsked > lastHeard }
    private var deathTime: Instant { max(lastAsked, lastHeard).advanced(bySeconds: HTTP3SilenceWatch.limit) }
    /// Where nothing was sent lately, pings are.
    private var doubtTime: Instant {
      isUnheard
        ? lastAsked.advanced(bySeconds: HTTP3SilenceWatch.patience)
        : lastHeard.advanced(bySeconds: Double(HTTP3SilenceWatch.pingInterval) / 1e9 + HTTP3SilenceWatch.patience)
    }

    private func plan(_ time: Instant, _ connection: HTTP3Connection) {
      wake?.scheduled.cancel()
      let seconds = max(0, time.seconds(since: clock.now))
      let scheduled = eventLoop.scheduleTask(in: .nanoseconds(Int64(seconds * 1e9))) { [weak self, weak connection] in
        self?.wake = nil
        if let self, let connection { look(at: connection, planned: time) }
      }
      wake = Wake(time: time, scheduled: scheduled)
    }

    private func look(at connection: HTTP3Connection, planned: Instant) {
      guard !connection.state.isClosed, isUnheard || !connection.streams.isEmpty else { return }
      let (now, due) = (clock.now, isDoubtful ? deathTime : doubtTime)
      guard now >= due else { return plan(due, connection) }
      guard now.seconds(since: planned) < HTTP3SilenceWatch.lateness else { return wait(connection) }
      if isDoubtful { return connection.lose(TransportErrors.silence, ChannelError.eof, isStale: true) }
      connection.path.probe { [weak self, weak connection] leadsThere in
        if let self, let connection { probed(leadsThere, connection) }
      }
    }

    /// - Parameter leadsThere: Whether the system knows a way to the server. Without one the connection waits for it: another had none either.
    private func probed(_ leadsThere: Bool, _ connection: HTTP3Connection) {
      guard !connection.state.isClosed else { return }
      guard leadsThere, clock.now >= doubtTime else { return wait(connection) }
      isDoubtful = true
      plan(deathTime, connection)
      connection.doubt()
    }

    private func wait(_ connection: HTTP3Connection) { plan(clock.now.advanced(bySeconds: HTTP3SilenceWatch.patience), connection) }
  }
#endif
