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
  /// The address that was tried last; once connected, the connection's remote address.
  package var peer: SocketAddress?
  /// Receives each step of setting up the connection, as `tell` reports it; nil where nothing is recorded.
  var watcher: (any ConnectionWatcher)?
  var isQUIC = false
  /// How Encrypted Client Hello ended, where the handshake has failed because of it; for the metrics of the failed load.
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

  /// Copies the times into `record`, the transaction of the load whose exchange is the connection's first.
  ///
  /// The attempt may have begun for another load, or for an earlier request of this load that the proxy refused: times before the transaction's
  /// start are replaced by the start.
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
  /// Fills the metrics of a load whose connection attempt has failed: the phases that took place and the address tried last, which is the proxy's
  /// for a connection through a proxy.
  package func note(failed timings: ConnectTimings) {
    // An attempt that began before this transaction was made for another load or request: its phases aren't reported here.
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
