#if HTTP3
  import CLoadingQUIC
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
    /// Seconds that the server has for an acknowledgement: some six probes with what a network usually takes (RFC 9002, 6.2).
    static let patience = 10.0
    /// Seconds after which the connection is dead.
    static let limit = 40.0
    /// Seconds that a wake may come late; after more, this process was stopped, or its clock moved on: what has come meanwhile comes first.
    private static let lateness = 1.0

    private let clock: any LoadClock
    private let eventLoop: any EventLoop
    @exclusivity(unchecked) private var lastHeard = Instant(nanoseconds: 0)
    /// When the first thing was sent after that which the server has to acknowledge.
    @exclusivity(unchecked) private var lastAsked = Instant(nanoseconds: 0)
    /// Since when the server could have been heard, as far as that depends on this machine.
    @exclusivity(unchecked) private var begin = Instant(nanoseconds: 0)
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

    /// Packets go another way from now on.
    func moved() { begin = clock.now }

    /// Something is sent that the server has to acknowledge. If nothing comes, `connection` is told.
    ///
    /// - Parameter isAlone: Whether no other exchange is under way, for which there were pings.
    func listen(for connection: HTTP3Connection, isAlone: Bool) {
      if !isUnheard { lastAsked = isAlone || lastHeard.nanoseconds == 0 ? clock.now : min(clock.now, pingTime) }
      if let wake, wake.time <= due { return }
      plan(connection)
    }

    private var isUnheard: Bool { lastAsked > lastHeard }
    private var pingTime: Instant { lastHeard.advanced(bySeconds: Double(HTTP3SilenceWatch.pingInterval) / 1e9) }
    /// When the silence means something, or something more.
    private var due: Instant {
      max(isUnheard ? lastAsked : pingTime, begin)
        .advanced(bySeconds: isDoubtful ? HTTP3SilenceWatch.limit : HTTP3SilenceWatch.patience)
    }

    private func plan(_ connection: HTTP3Connection) {
      wake?.scheduled.cancel()
      let time = due
      let nanoseconds = Int64(max(0, time.seconds(since: clock.now)) * 1e9)
      let scheduled = eventLoop.scheduleTask(in: .nanoseconds(nanoseconds)) { [weak self, weak connection] in
        self?.wake = nil
        if let self, let connection { look(at: connection, planned: time) }
      }
      wake = Wake(time: time, scheduled: scheduled)
    }

    private func look(at connection: HTTP3Connection, planned: Instant) {
      guard let handle = connection.handle, isUnheard || !connection.streams.isEmpty else { return }
      let now = clock.now
      guard now >= due else { return plan(connection) }
      // What can't be sent, as a window is full, needs no acknowledgement.
      guard now.seconds(since: planned) < HTTP3SilenceWatch.lateness, uls_h3_in_flight(handle.pointer) > 0 else { return wait(connection) }
      connection.path.probe { [weak self, weak connection] leadsThere in
        if let self, let connection { probed(leadsThere, connection) }
      }
    }

    /// - Parameter leadsThere: Whether the system knows a way to the server. Without one the connection waits for it: another had none either.
    private func probed(_ leadsThere: Bool, _ connection: HTTP3Connection) {
      guard connection.handle != nil else { return }
      guard leadsThere, clock.now >= due else { return wait(connection) }
      if isDoubtful { return connection.lose(TransportErrors.silence, ChannelError.eof, isStale: true) }
      isDoubtful = true
      plan(connection)
      connection.doubt()
    }

    private func wait(_ connection: HTTP3Connection) {
      begin = clock.now
      plan(connection)
    }
  }
#endif
