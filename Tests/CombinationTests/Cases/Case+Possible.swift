extension Case {
  /// The nearest case that has a meaning: what can't be together goes back to the plain value, and what nothing would end, the app ends.
  func possible() -> Case {
    var some = self
    if !Interface.allowed(for: work).contains(interface) { some.interface = .sessionDelegate }
    some.fitWire()
    some.fitConduct()
    some.fitAnswers()
    some.fitEnd()
    return some
  }

  private mutating func fitWire() {
    // The daemon trusts the system's authorities, and the resumable server has wires of its own.
    if work.isBackground { wire = .plain }
    if work == .resumableUpload, wire != .plain { wire = .h2 }
    if work == .stream, wire.isMultiplexed { wire = .tls }
    // A WebSocket is no reason to look for another way.
    if work == .webSocket, wire.mayUseQUIC { wire = .h2 }
    if wire.mayUseQUIC || work.isBackground || work == .resumableUpload { way = .direct }
    if work == .stream, way.isHTTPProxy { way = .direct }
    if !wire.isSecure || work.isBackground || work == .resumableUpload { certificate = .none }
    if work == .stream { certificate = .none }
  }

  private mutating func fitConduct() {
    if !work.isUpload { source = .whole }
    if work == .uploadData, source != .whole { source = .whole }
    if work == .uploadStream, source == .missing { source = .fails }
    if work == .uploadFile || work.isBackground, source == .fails { source = .missing }
    if work == .resumableUpload {
      source = .whole
      size = .large
      // What that server doesn't read it never learns the end of.
      if conduct == .stallsInBody { conduct = .cutInBody }
    }
    if work.isConversation || work == .resumableUpload || work == .becomeStream {
      if ![.answers, .cutInBody, .stallsInBody].contains(conduct) { conduct = .answers }
      isOnce = .no
    }
    if work.isConversation || work == .resumableUpload { (login, keeping) = (.none, .nothing) }
    if work.isConversation, size == .nothing { size = .small }
    if conduct == .stallsReading || conduct == .early, !work.isUpload || work.isBackground { conduct = .answers }
    if work.isBackground { fitBackground() }
    if size == .nothing, [.cutInBody, .stallsInBody, .trickles, .wrongLength].contains(conduct) { size = .small }
    if size.count < Size.medium.count, conduct == .stallsReading { size = .large }
    if !wire.isMultiplexed, [.refusesStream, .goesAway, .goesAwayUnprocessed].contains(conduct) { conduct = .answers }
    // Frames of another version of HTTP aren't garbage that a test server can send.
    if wire.isMultiplexed, conduct == .garbage { conduct = .answers }
    // These must be known before the request's body.
    if [.stallsReading, .early].contains(conduct) { (login, isOnce) = (.none, .no) }
    if work == .resumedDownload { (conduct, size, isOnce) = (.answers, .large, .no) }
    if keeping == .cache, work.isUpload || work == .resumedDownload { keeping = .nothing }
    #if HTTP3
      if wire.isEarly || wire == .alternative, connections == .one { connections = .usual }
      // Without TCP there is no other origin.
      if wire.isEarly || wire == .h3, conduct == .redirectsElsewhere { conduct = .redirects }
    #endif
  }

  private mutating func fitBackground() {
    // The daemon tries again for a week where a server fails: what fails, fails once. It follows redirects by itself.
    if !conduct.succeeds, !conduct.stalls { isOnce = .yes }
    if [.garbage, .wrongLength, .redirectsElsewhere].contains(conduct) { conduct = .answers }
    if action == .timeOut || action == .finish { action = .cancel }
    if keeping == .cache { keeping = .nothing }
    connections = .usual
  }

  private mutating func fitAnswers() {
    if conduct != .redirects, conduct != .redirectsElsewhere { redirect = .follows }
    if work.isBackground { redirect = .follows }
    let isAsked = login != .none || way == .proxyWithLogin || certificate != .none || (wire.isSecure && !work.isBackground)
    if !isAsked { answer = .right }
    if work == .resumableUpload || work == .stream, answer != .late { answer = .right }
    if moment == .challenged, !isAsked { moment = .resumed }
  }

  private mutating func fitEnd() {
    // A session that has ended takes no second task.
    if work == .resumedDownload, action == .finish { action = .none }
    if answer == .never, !action.ends {
      action = .cancel
      moment = .challenged
    }
    if conduct.stalls, !action.ends { action = .cancel }
    // Time that the app takes doesn't count, and conversations have none.
    if action == .timeOut, answer == .never || work.isConversation || work == .becomeStream { action = .cancel }
    if conduct == .stallsBeforeHead || conduct == .stallsReading, moment == .responded || moment == .received { moment = .requested }
    if action == .none || action == .timeOut { moment = .resumed }
    if work.isConversation, moment == .received || moment == .responded { moment = .requested }
    if work == .stream, moment == .requested { moment = .resumed }
    // A download that is cancelled in order to be resumed is disturbed after that.
    if work == .resumedDownload, action.ends, action != .invalidate, action != .timeOut { moment = .received }
    // What the publisher's subscriber cancels, it isn't told about.
    if interface == .publisher, action == .pauseAndCancel { action = .cancel }
  }
}
