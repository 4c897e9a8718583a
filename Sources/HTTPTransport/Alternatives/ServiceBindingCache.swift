import LoadingModel
import NIOCore
import ProtocolRules

/// Where origins are served by HTTP/3, as the DNS has said lately (HTTPS records; RFC 9460). The DNS is asked beside the loads: none waits
/// for the answer, and what isn't known yet counts as nothing.
///
/// Owned by the session; confined to its event loop.
package final class ServiceBindingCache: @unchecked Sendable {
  // @unchecked: `entries`, `round` and `found` are confined to `eventLoop`; the rest is immutable.

  private enum Entry {
    case asking
    case known(AlternativeEndpoint?, until: Instant)
  }

  /// What the answers to the questions about one origin have in common.
  private struct Question {
    let origin: Origin
    let round: Int
    /// The name that is asked about: the origin's, or an alias.
    var name: DNSName
    var aliases = 0
    /// Seconds for which all the answers may be kept.
    var lifetime: Double?
  }

  private let eventLoop: any EventLoop
  private let clock: any LoadClock
  private let service: any ServiceBindingResolver
  private var entries = BoundedTable<Origin, Entry>(limit: ServiceBindingRules.limit)
  /// Counts how often everything was forgotten: later answers to earlier questions are dropped.
  private var round = 0
  /// Told that a place has become known, of an origin that was asked for before.
  package var found: ((Origin) -> Void)?

  package init(eventLoop: any EventLoop, clock: any LoadClock, service: any ServiceBindingResolver) {
    self.eventLoop = eventLoop
    self.clock = clock
    self.service = service
  }

  /// Where `origin` is served by HTTP/3; nil if that is nowhere, or not known yet: then the DNS is asked, and `found` tells.
  package func place(of origin: Origin) -> AlternativeEndpoint? {
    assert(eventLoop.inEventLoop)
    switch entries.use(origin) {
    case .asking?: return nil
    case .known(let place, let until)? where until > clock.now: return place
    case .known?, nil: break
    }
    guard let name = ServiceBindingRules.question(for: origin) else { return nil }
    entries[origin] = .asking
    ask(Question(origin: origin, round: round, name: name))
    return nil
  }

  /// The place has turned out not to serve `origin`: it counts as none until the DNS is asked again.
  package func forget(_ place: AlternativeEndpoint, of origin: Origin) {
    assert(eventLoop.inEventLoop)
    guard case .known(let known?, let until)? = entries[origin], (known.host, known.port) == (place.host, place.port) else { return }
    entries[origin] = .known(nil, until: until)
  }

  /// The networks have changed: other name servers may give other answers.
  package func removeAll() {
    assert(eventLoop.inEventLoop)
    entries.removeAll()
    round += 1
  }

  private func ask(_ question: Question) {
    service.ask(question.name) { [weak self, eventLoop] answer in
      eventLoop.execute { [weak self] in self?.take(answer, question) }
    }
  }

  private func take(_ answer: ServiceBindingAnswer?, _ question: Question) {
    // A legal race: everything was forgotten meanwhile.
    guard question.round == round else { return }
    guard let answer else { return note(nil, question.origin, seconds: ServiceBindingRules.failureLifetime) }
    let own = ServiceBindingRules.lifetime(answer.lifetime)
    let lifetime = min(own, question.lifetime ?? own)
    switch answer.content {
    case .none: note(nil, question.origin, seconds: lifetime)
    case .services(let bindings, let owner):
      note(ServiceBindingRules.place(of: question.origin, bindings, owner: owner), question.origin, seconds: lifetime)
    case .alias(let name):
      guard question.aliases < ServiceBindingRules.aliasLimit else { return note(nil, question.origin, seconds: lifetime) }
      var next = question
      (next.name, next.aliases, next.lifetime) = (name, question.aliases + 1, lifetime)
      ask(next)
    }
  }

  private func note(_ place: AlternativeEndpoint?, _ origin: Origin, seconds: Double) {
    entries[origin] = .known(place, until: clock.now.advanced(bySeconds: seconds))
    if place != nil { found?(origin) }
  }
}
