import LoadingModel
import NIOCore
import ProtocolRules

/// A session's cache of where origins are served, by their HTTPS records in the DNS (RFC 9460). The DNS is asked while loads look up addresses: no
/// load waits for the HTTPS records longer than for the addresses, and an origin whose answer hasn't come yet counts as one without records.
///
/// Owned by the session; confined to its event loop.
package final class ServiceBindingCache: @unchecked Sendable {
  // @unchecked: `entries`, `round` and `found` are confined to `eventLoop`; the rest is immutable.

  /// The callbacks of `places(of:_:)` that are called when the DNS has answered for an origin.
  private typealias Listeners = [([ServicePlace]) -> Void]

  private enum Entry {
    case asking(Listeners)
    case known(Answer, until: Instant)
  }

  /// The usable places of one origin according to its HTTPS records, less those that have failed since (`drop`, `forget`).
  private struct Answer {
    /// The origin's places in the order in which connections over TCP try them.
    var places: [ServicePlace] = []
    /// The place where the origin is served by HTTP/3; nil where there is none.
    var alternative: AlternativeEndpoint?
  }

  /// The state of asking the DNS about one origin, kept while aliases (AliasMode records) are followed from name to name.
  private struct Question {
    let origin: Origin
    let round: Int
    /// The name that the DNS is asked about next: the origin's own, or the target of an alias.
    var name: DNSName
    var aliases = 0
    /// The shortest lifetime of the answers so far, in seconds: the final answer isn't cached longer. nil before the first.
    var lifetime: Double?
  }

  private let eventLoop: any EventLoop
  private let clock: any LoadClock
  private let service: any ServiceBindingResolver
  /// Whether the records' keys for Encrypted Client Hello are used.
  private let encrypts: Bool
  private var entries = BoundedTable<Origin, Entry>(limit: ServiceBindingRules.limit)
  /// Counts how often everything was forgotten: later answers to earlier questions are dropped.
  private var round = 0
  /// Called when an answer of the DNS has brought an HTTP/3 place for an origin whose HTTPS records were asked for.
  package var found: ((Origin) -> Void)?

  package init(eventLoop: any EventLoop, clock: any LoadClock, service: any ServiceBindingResolver, encrypts: Bool = true) {
    self.encrypts = encrypts
    self.eventLoop = eventLoop
    self.clock = clock
    self.service = service
  }

  /// Where `origin` is served by HTTP/3. nil if its records name no such place, or aren't known yet: then the DNS is asked, and `found` is called if
  /// the answer names one.
  package func place(of origin: Origin) -> AlternativeEndpoint? { answer(of: origin)?.alternative }

  /// Where `origin` is served, in the order in which connections over TCP try the places; empty if it has no usable records. nil while the DNS is
  /// being asked: `tell` is called with its answer, or never if `removeAll` is called before (the networks have changed).
  package func places(of origin: Origin, _ tell: @escaping ([ServicePlace]) -> Void) -> [ServicePlace]? {
    if let answer = answer(of: origin) { return answer.places }
    guard case .asking(let listeners)? = entries[origin] else { return [] }
    entries[origin] = .asking(listeners + [tell])
    return nil
  }

  /// The places that are in the cache: as `places(of:_:)`, but without asking the DNS; empty if nothing is cached.
  package func knownPlaces(of origin: Origin) -> [ServicePlace] {
    guard case .known(let answer, let until)? = entries[origin], until > clock.now else { return [] }
    return answer.places
  }

  /// The cached answer; starts a question to the DNS where there is none. nil while the DNS is being asked, and for origins that it can't be
  /// asked about.
  private func answer(of origin: Origin) -> Answer? {
    assert(eventLoop.inEventLoop)
    switch entries.use(origin) {
    case .asking?: return nil
    case .known(let answer, let until)? where until > clock.now: return answer
    case .known?, nil: break
    }
    guard let name = ServiceBindingRules.question(for: origin) else { return nil }
    entries[origin] = .asking([])
    ask(Question(origin: origin, round: round, name: name))
    return nil
  }

  /// A connection attempt has shown that `place` doesn't serve `origin` by HTTP/3: `place(of:)` doesn't return it until the DNS is asked again.
  package func forget(_ place: AlternativeEndpoint, of origin: Origin) {
    change(origin) { answer in
      if let known = answer.alternative, (known.host, known.port) == (place.host, place.port) { answer.alternative = nil }
    }
  }

  /// `place` was the first that a connection could be made to: it is tried first until the DNS is asked again. If no record names it, it is the
  /// origin's own host and port, which then is added to the places.
  package func prefer(_ place: ServicePlace, of origin: Origin) {
    change(origin) { answer in
      guard !answer.places.isEmpty else { return }
      answer.places = [place] + answer.places.filter { !$0.isSame(place) }
    }
  }

  /// A connection attempt has shown that `place` doesn't serve `origin` over TCP: `places(of:_:)` leaves it out until the DNS is asked again.
  package func drop(_ place: ServicePlace, of origin: Origin) {
    change(origin) { $0.places.removeAll(where: place.isSame) }
  }

  private func change(_ origin: Origin, _ change: (inout Answer) -> Void) {
    assert(eventLoop.inEventLoop)
    guard case .known(var answer, let until)? = entries[origin] else { return }
    change(&answer)
    entries[origin] = .known(answer, until: until)
  }

  /// Empties the cache because the networks have changed: other name servers may give other answers. Answers that are still to come are dropped.
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
    // `removeAll` was called while the DNS was asked: the answer is of the former network, and nothing waits for it any more.
    guard question.round == round else { return }
    guard let answer else { return note([], question, seconds: ServiceBindingRules.failureLifetime) }
    let own = ServiceBindingRules.lifetime(answer.lifetime)
    let lifetime = min(own, question.lifetime ?? own)
    switch answer.content {
    case .none: note([], question, seconds: lifetime)
    case .services(let bindings, let owner):
      let places = ServiceBindingRules.places(of: question.origin, bindings, owner: owner, encrypts: encrypts)
      note(places, question, seconds: lifetime)
    case .alias(let name):
      var next = question
      (next.name, next.aliases, next.lifetime) = (name, question.aliases + 1, lifetime)
      // A chain of aliases longer than the limit may be a loop: the origin counts as one without records.
      guard next.aliases <= ServiceBindingRules.aliasLimit else {
        next.aliases = 0
        return note([], next, seconds: lifetime)
      }
      ask(next)
    }
  }

  private func note(_ places: [ServicePlace], _ question: Question, seconds: Double) {
    let origin = question.origin
    var places = places
    if question.aliases > 0, !ServiceBindingRules.areAllThereIs(places),
      let last = ServiceBindingRules.place(of: origin, aliasedTo: question.name)
    {
      places.append(last)
    }
    let listeners = if case .asking(let listeners)? = entries[origin] { listeners } else { Listeners() }
    let answer = Answer(places: places, alternative: ServiceBindingRules.alternative(places))
    entries[origin] = .known(answer, until: clock.now.advanced(bySeconds: seconds))
    if answer.alternative != nil { found?(origin) }
    for tell in listeners { tell(places) }
  }
}
