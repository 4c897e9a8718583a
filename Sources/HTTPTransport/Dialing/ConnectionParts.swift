import LoadingModel
import NIOCore

/// What a new connection is made of, whichever HTTP it will speak.
struct ConnectionParts {
  let id: Int
  let destination: Destination
  let timings: ConnectTimings
  let clock: any LoadClock
  /// nil without TLS.
  let session: TLSSessionSlot?
  private(set) weak var owner: (any ConnectionOwner)?

  init(
    id: Int, destination: Destination, timings: ConnectTimings, clock: any LoadClock, session: TLSSessionSlot?, owner: any ConnectionOwner
  ) {
    self.id = id
    self.destination = destination
    self.timings = timings
    self.clock = clock
    self.session = session
    self.owner = owner
  }

  /// The handler for `channel`, which is connected and, with TLS, secured.
  func http1(on channel: any Channel) -> HTTP1Connection {
    timings.connectEnd = clock.now
    return HTTP1Connection(self, facts(of: channel))
  }

  /// As `http1`, for a server that has chosen HTTP/2.
  func http2(on channel: any Channel) -> HTTP2Connection {
    timings.connectEnd = clock.now
    return HTTP2Connection(self, facts(of: channel))
  }

  /// How its server came to be accepted; nothing without TLS.
  var peerAcceptance: PeerAcceptance { session?.peerAcceptance ?? .unneeded }

  private func facts(of channel: any Channel) -> ConnectionFacts {
    let local = channel.localAddress
    let remote = channel.remoteAddress
    return ConnectionFacts(
      localAddress: local?.ipAddress, localPort: local?.port, remoteAddress: remote?.ipAddress, remotePort: remote?.port,
      tlsVersion: session?.negotiatedVersion, tlsCipherSuite: session?.negotiatedCipherSuite,
      isTLSResumed: session?.isResumed ?? false, isTrustOverridden: peerAcceptance.isOverridden,
      isMultipath: SocketSettings.isMultipath(channel))
  }
}
