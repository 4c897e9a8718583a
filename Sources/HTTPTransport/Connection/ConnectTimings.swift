import LoadingModel
import NIOCore

/// When the phases of setting up one connection began and ended.
///
/// Written while the connection is set up, then read by its first exchange; confined to the event loop.
package final class ConnectTimings {
  package var lookupStart: Instant?
  package var lookupEnd: Instant?
  package var connectStart: Instant?
  package var secureStart: Instant?
  package var secureEnd: Instant?
  package var connectEnd: Instant?
  /// The address that was tried last, or is connected.
  package var peer: SocketAddress?
  /// Who is told of each step, if anyone is.
  var watcher: (any ConnectionWatcher)?
  var isQUIC = false
  /// What has become of the ClientHello's encryption where the handshake has failed for it.
  var encryptedHello: EncryptedHelloUse?

  package init() {}

  /// The phase that is under way.
  package var phase: LoadError.Phase {
    if secureStart != nil, secureEnd == nil { return .secure }
    return lookupStart != nil && lookupEnd == nil ? .resolve : .connect
  }

  package func tell(_ event: @autoclosure () -> ConnectionEvent) {
    if let watcher { watcher.happened(event(), isQUIC: isQUIC) }
  }

  /// Copies what is known into `record`: for the load that used the connection first.
  ///
  /// A connection may have been begun for another load, or for a request of this one that the proxy refused: what took place before the
  /// transaction began took none of its time.
  package func fill(_ record: inout TransactionRecord) {
    let begin = record.fetchStart
    func within(_ time: Instant?) -> Instant? { time.map { max($0, begin ?? $0) } }
    record.domainLookupStart = within(lookupStart)
    record.domainLookupEnd = within(lookupEnd)
    record.connectStart = within(connectStart)
    record.secureConnectionStart = within(secureStart)
    record.secureConnectionEnd = within(secureEnd)
    record.connectEnd = within(connectEnd)
  }

  /// When the first phase began; nil before it.
  fileprivate var began: Instant? { lookupStart ?? connectStart }
}

extension LoadContext {
  /// The load's connection didn't come to be: its metrics have the phases that took place and the address that was tried (as of a
  /// connection through a proxy, the proxy's).
  package func note(failed timings: ConnectTimings) {
    // An attempt that was under way before the load came is another's.
    guard let began = timings.began, began >= record.fetchStart ?? began else { return }
    timings.fill(&record)
    record.fetchType = .networkLoad
    record.isProxyConnection = terms.routeAttempt != nil
    guard let peer = timings.peer else { return }
    record.connection = ConnectionFacts(
      localAddress: nil, localPort: nil, remoteAddress: peer.ipAddress, remotePort: peer.port, tlsVersion: nil, tlsCipherSuite: nil,
      isTLSResumed: false, encryptedHello: timings.encryptedHello)
  }
}
