#if Inspector
  /// The phases of a transfer as HAR's timings: consecutive durations in milliseconds, -1 for a phase that didn't take place.
  ///
  /// `connect` includes `ssl`. The other timings add up to the transfer's duration; time between the phases counts as `blocked`.
  struct HARTimings: Equatable {
    var blocked = -1.0
    var dns = -1.0
    var connect = -1.0
    var ssl = -1.0
    var send = 0.0
    var wait = 0.0
    var receive = 0.0

    init(_ phases: RecordedTransfer.Phases, isReused: Bool) {
      let end = phases.end ?? [phases.receiveEnd, phases.receiveStart, phases.sendEnd].compactMap { $0 }.max() ?? 0
      func span(_ start: Double?, _ stop: Double?) -> Double? {
        guard let start else { return nil }
        return max(0, min(stop ?? end, end) - start)
      }
      if !isReused {
        dns = span(phases.lookupStart, phases.lookupEnd) ?? -1
        connect = span(phases.connectStart, phases.connectEnd) ?? -1
        ssl = span(phases.tlsStart, phases.tlsEnd) ?? -1
      }
      guard let sendStart = phases.sendStart else {
        // No request was sent: the response came from the cache, or there was no connection. All the time except look-up and connecting is `blocked`.
        blocked = max(0, end - max(0, dns) - max(0, connect))
        return
      }
      let sendEnd = min(max(sendStart, phases.sendEnd ?? phases.receiveStart ?? sendStart), end)
      let receiveStart = phases.receiveStart.map { min(max($0, sendStart), end) }
      // `send` ends when the response begins, if that happens before the whole request has been sent.
      send = max(0, min(sendEnd, receiveStart ?? sendEnd) - sendStart)
      wait = max(0, (receiveStart ?? end) - sendStart - send)
      receive = receiveStart.map { max(0, end - $0) } ?? 0
      blocked = max(0, end - max(0, dns) - max(0, connect) - send - wait - receive)
    }

    init(blocked: Double, dns: Double, connect: Double, ssl: Double, send: Double, wait: Double, receive: Double) {
      (self.blocked, self.dns, self.connect, self.ssl) = (blocked, dns, connect, ssl)
      (self.send, self.wait, self.receive) = (send, wait, receive)
    }

    var total: Double { [blocked, dns, connect, send, wait, receive].filter { $0 > 0 }.reduce(0, +) }

    /// The timings rounded to whole milliseconds. `total` is the sum of the rounded ones.
    var inWholeMilliseconds: HARTimings {
      HARTimings(
        blocked: blocked.rounded(), dns: dns.rounded(), connect: connect.rounded(), ssl: min(ssl.rounded(), connect.rounded()),
        send: send.rounded(), wait: wait.rounded(), receive: receive.rounded())
    }

    var json: JSONValue {
      func value(_ number: Double) -> JSONValue { .number((number * 1000).rounded() / 1000) }
      return .object([
        ("blocked", value(blocked)), ("dns", value(dns)), ("connect", value(connect)), ("ssl", value(ssl)), ("send", value(send)),
        ("wait", value(wait)), ("receive", value(receive)),
      ])
    }

    /// The phases as HAR's timings describe them: each phase begins where the one before it ends.
    var phases: RecordedTransfer.Phases {
      var phases = RecordedTransfer.Phases()
      var time = max(0, blocked)
      func next(_ duration: Double) -> (Double, Double) {
        defer { time += duration }
        return (time, time + duration)
      }
      if dns >= 0 { (phases.lookupStart, phases.lookupEnd) = next(dns) }
      if connect >= 0 {
        let (start, end) = next(connect)
        (phases.connectStart, phases.connectEnd) = (start, end)
        if ssl >= 0 { (phases.tlsStart, phases.tlsEnd) = (max(start, end - ssl), end) }
      }
      if send > 0 || wait > 0 || receive > 0 {
        (phases.sendStart, phases.sendEnd) = next(max(0, send))
        let wait = next(max(0, wait))
        let received = next(max(0, receive))
        (phases.receiveStart, phases.receiveEnd) = (wait.1, received.1)
      }
      phases.end = time
      return phases
    }
  }
#endif
