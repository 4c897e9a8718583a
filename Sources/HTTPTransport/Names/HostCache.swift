import LoadingModel
import NIOCore
import ProtocolRules

/// The addresses of the names that a session has looked up lately. A look-up under way serves all loads that ask for the name meanwhile.
///
/// Owned by the session; confined to its event loop.
package final class HostCache: @unchecked Sendable {
  // @unchecked: `entries` is confined to `eventLoop`; the rest is immutable.

  private struct Key: Hashable {
    let host: String
    let port: Int
    let family: AddressFamily
  }

  private struct Entry {
    let answer: EventLoopFuture<[SocketAddress]>
    /// When the answer came; nil while the look-up is under way.
    var since: Instant?
    var expiry: Instant?
  }

  private let eventLoop: any EventLoop
  private let clock: any LoadClock
  private let service: any HostResolver
  private var entries = BoundedTable<Key, Entry>(limit: LookUpRules.limit)

  init(eventLoop: any EventLoop, clock: any LoadClock, service: any HostResolver = SystemResolver()) {
    self.eventLoop = eventLoop
    self.clock = clock
    self.service = service
  }

  /// Looks up a host's addresses of one family, without ports; fails with `ResolutionError`.
  /// - Parameter port: The port to connect to, for resolvers whose answers depend on it (`looksAtPorts`).
  func addresses(of host: String, port: Int = 0, _ family: AddressFamily) -> EventLoopFuture<[SocketAddress]> {
    assert(eventLoop.inEventLoop)
    // Names such as localhost have their answers by rule (RFC 6761), without a look-up.
    switch service.knowsSpecialNames ? .ask : SpecialNames.answer(host) {
    case .absent: return eventLoop.makeFailedFuture(ResolutionError.absent(host))
    case .loopback: return eventLoop.makeSucceededFuture([family.loopback].compactMap(\.self))
    case .ask: break
    }
    let key = key(host, port, family)
    if let entry = entries.use(key), entry.expiry.map({ $0 > clock.now }) ?? true { return entry.answer }
    let answer = ask(key)
    if service.asksForFamiliesTogether { _ = ask(self.key(host, port, family.other)) }
    return answer
  }

  private func ask(_ key: Key) -> EventLoopFuture<[SocketAddress]> {
    let promise = eventLoop.makePromise(of: [SocketAddress].self)
    entries[key] = Entry(answer: promise.futureResult, expiry: nil)
    service.ask(key.host, key.port, key.family) { [weak self, eventLoop] result in
      eventLoop.execute { [weak self] in
        self?.note(result, key, promise.futureResult)
        promise.completeWith(result.mapError { $0 as any Error })
      }
    } lifetime: { [weak self, eventLoop] seconds in
      eventLoop.execute { [weak self] in self?.note(lifetime: seconds, key, promise.futureResult) }
    }
    return promise.futureResult
  }

  private func key(_ host: String, _ port: Int, _ family: AddressFamily) -> Key {
    Key(host: host, port: service.looksAtPorts ? port : 0, family: family)
  }

  /// A host's addresses of both families, those of IPv6 first; fails if it has none.
  func addresses(of host: String, port: Int = 0) -> EventLoopFuture<[SocketAddress]> {
    let answers = [addresses(of: host, port: port, .v6), addresses(of: host, port: port, .v4)]
    return EventLoopFuture.whenAllComplete(answers, on: eventLoop).flatMapThrowing { answers in
      let found = answers.flatMap { (try? $0.get()) ?? [] }
      guard found.isEmpty else { return found }
      throw HostCache.failure(of: host, answers)
    }
  }

  /// The error for a host without addresses, from the errors of both families: a temporary one is preferred, as a later look-up may succeed.
  static func failure(of host: String, _ answers: [Result<[SocketAddress], any Error>]) -> ResolutionError {
    let errors = answers.compactMap { answer -> ResolutionError? in
      if case .failure(let error) = answer { error as? ResolutionError } else { nil }
    }
    return errors.first(where: \.isTemporary) ?? errors.last ?? .absent(host)
  }

  /// Drops a host's cached addresses, as none of them could be connected to: the next load looks them up again.
  func forget(_ host: String, port: Int = 0) {
    for family in AddressFamily.allCases { entries[key(host, port, family)] = nil }
  }

  /// Empties the cache because the networks have changed: other name servers may give other answers.
  package func removeAll() { entries.removeAll() }

  private func note(_ result: Result<[SocketAddress], ResolutionError>, _ key: Key, _ answer: EventLoopFuture<[SocketAddress]>) {
    // The cache was emptied while the look-up was under way, and the name may have been asked for again: this answer is outdated.
    guard entries[key]?.answer === answer else { return }
    entries[key]?.since = clock.now
    switch result {
    case .success: entries[key]?.expiry = clock.now.advanced(bySeconds: LookUpRules.addressLifetime)
    case .failure(let error) where error.isTemporary: entries[key] = nil
    case .failure: entries[key]?.expiry = clock.now.advanced(bySeconds: LookUpRules.absenceLifetime)
    }
  }

  private func note(lifetime seconds: Double, _ key: Key, _ answer: EventLoopFuture<[SocketAddress]>) {
    guard let entry = entries[key], entry.answer === answer, let since = entry.since else { return }
    entries[key]?.expiry = since.advanced(bySeconds: LookUpRules.lifetime(saidByDNS: seconds))
  }
}

extension AddressFamily {
  /// The family of an IP address; nil for a Unix socket's path.
  init?(_ address: SocketAddress) {
    switch address {
    case .v4: self = .v4
    case .v6: self = .v6
    case .unixDomainSocket: return nil
    }
  }

  var loopback: SocketAddress? { try? SocketAddress(ipAddress: self == .v6 ? "::1" : "127.0.0.1", port: 0) }
}
