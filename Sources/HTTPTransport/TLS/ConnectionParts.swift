import LoadingModel
import NIOCore
import ProtocolRules

/// The common properties with which a connection of any HTTP version is created.
struct ConnectionParts {
  let id: Int
  let destination: Destination
  let timings: ConnectTimings
  let clock: any LoadClock
  /// The TLS session; nil without TLS.
  let session: TLSSessionSlot?
  /// Whether Multipath TCP was requested for the connection; the server must agree to it.
  let mayBeMultipath: Bool
  /// The alternative service (RFC 7838) that the connection leads to; nil if it leads to the origin itself.
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

  /// Why the server was accepted; `.unneeded` without TLS.
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
