#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore

  /// Detects that the server of a connection has stopped answering.
  ///
  /// heard -> doubtful -> dead
  /// \----------^ (a packet arrives)
  ///
  /// A QUIC server acknowledges packets whatever its application does (RFC 9000, 13.2.1). A server that was killed and restarted knows nothing of the
  /// connection and mostly can't say so: no error ever arrives. After a short silence (`patience`) requests that can be repeated are sent on another
  /// connection; other exchanges wait as long as over HTTP/2 (`Liveness`), as the network may just be away for a while.
  ///
  /// Owned by its connection, which passes itself to the calls; confined to its event loop.
  final class HTTP3SilenceWatch: @unchecked Sendable {
    // @unchecked: confined to the event loop.
    // `@exclusivity(unchecked)`: for the reason given in `HTTP3Connection`.

    private struct Wake {
      let time: Instant
      let scheduled: Scheduled<Void>
    }

    /// Nanoseconds of silence after which the server is asked whether it is there, while exchanges are under way.
    static let pingInterval: UInt64 = 15_000_000_000
    /// Seconds without an acknowledgement after which the server is doubted: about six probe timeouts at usual round-trip times (RFC 9002, 6.2).
    static let patience = 10.0
    /// Seconds without an acknowledgement after which the connection counts as dead.
    static let limit = 40.0
    /// If the timer fires later than this many seconds, the process was stopped or its clock has jumped: packets that have arrived are read first.
    private static let lateness = 1.0

    private let clock: any LoadClock
    private let eventLoop: any EventLoop
    @exclusivity(unchecked) private var lastHeard = Instant(nanoseconds: 0)
    /// When the first packet after `lastHeard` was sent that the server has to acknowledge.
    @exclusivity(unchecked) private var lastAsked = Instant(nanoseconds: 0)
    /// The time since which packets could have arrived: later than `lastAsked` if the connection has migrated, or this machine couldn't send.
    @exclusivity(unchecked) private var begin = Instant(nanoseconds: 0)
    @exclusivity(unchecked) private var wake: Wake?
    @exclusivity(unchecked) private var isDoubtful = false

    init(_ clock: any LoadClock, _ eventLoop: any EventLoop) { (self.clock, self.eventLoop) = (clock, eventLoop) }

    deinit { wake?.scheduled.cancel() }

    /// The connection has ended: cancels the timer.
    func end() { wake.take()?.scheduled.cancel() }

    /// A packet of the server has arrived.
    func heard(at time: Instant) {
      lastHeard = time
      isDoubtful = false
    }

    /// The connection has migrated to another path: silence counts from now.
    func moved() { begin = clock.now }

    /// Something is being sent that the server has to acknowledge. If no packet arrives in time, `connection` is told.
    ///
    /// - Parameter isAlone: Whether no other exchange is under way. With others, the C layer's PINGs may have started the wait earlier.
    func listen(for connection: HTTP3Connection, isAlone: Bool) {
      if !isUnheard { lastAsked = isAlone || lastHeard.nanoseconds == 0 ? clock.now : min(clock.now, pingTime) }
      if let wake, wake.time <= due { return }
      plan(connection)
    }

    private var isUnheard: Bool { lastAsked > lastHeard }
    private var pingTime: Instant { lastHeard.advanced(bySeconds: Double(HTTP3SilenceWatch.pingInterval) / 1e9) }
    /// When the silence will have lasted long enough to doubt the server or, if it is doubted already, to give the connection up.
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
      guard let handle = connection.handle, isUnheard || connection.openStreams > 0 else { return }
      let now = clock.now
      guard now >= due else { return plan(connection) }
      // If nothing is in flight, as when a flow-control window is full, the server has nothing to acknowledge.
      guard now.seconds(since: planned) < HTTP3SilenceWatch.lateness, uls_h3_in_flight(handle.pointer) > 0 else { return wait(connection) }
      connection.path.probe { [weak self, weak connection] leadsThere in
        if let self, let connection { probed(leadsThere, connection) }
      }
    }

    /// - Parameter leadsThere: Whether the system has a route to the server. Without one the connection waits: another one couldn't be made either.
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
