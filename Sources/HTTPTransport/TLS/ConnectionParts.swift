import LoadingModel
import NIOCore
import ProtocolRules

/// What a new connection is made of, whichever HTTP it will speak.
struct ConnectionParts {
  let id: Int
  let destination: Destination
  let timings: ConnectTimings
  let clock: any LoadClock
  /// nil without TLS.
  let session: TLSSessionSlot?
  /// Whether its session wants several paths (Multipath TCP), which the server may have agreed to.
  let mayBeMultipath: Bool
  /// The place that it leads to, where that isn't the origin itself but said to serve it.
  var alternative: AlternativeEndpoint?

  init(
    id: Int, destination: Destination, timings: ConnectTimings, clock: any LoadClock, session: TLSSessionSlot?, mayBeMultipath: Bool = false
  ) {
    self.mayBeMultipath = mayBeMultipath
    self.id = id
    self.destination = destination
    self.timings = timings
    self.clock = clock
    self.session = session
  }

  /// How its server came to be accepted; nothing without TLS.
  var peerAcceptance: PeerAcceptance { session?.peerAcceptance ?? .unneeded }

  func facts(of channel: any Channel) -> ConnectionFacts {
    let local = channel.localAddress
    let remote = channel.remoteAddress
    return ConnectionFacts(
      localAddress: local?.ipAddress, localPort: local?.port, remoteAddress: remote?.ipAddress, remotePort: remote?.port,
      tlsVersion: session?.negotiatedVersion, tlsCipherSuite: session?.negotiatedCipherSuite,
      isTLSResumed: session?.isResumed ?? false, isTrustOverridden: peerAcceptance.isOverridden,
      keyExchangeGroup: session?.keyExchangeGroup, encryptedHello: session?.encryptedHello,
      isMultipath: mayBeMultipath && SocketSettings.isMultipath(channel),
      certificates: session?.keptCertificates)
  }
}
