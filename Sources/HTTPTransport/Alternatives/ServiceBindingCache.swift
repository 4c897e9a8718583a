import LoadingModel
import NIOCore
import ProtocolRules

/// Where origins are served, as the DNS has said lately (HTTPS records; RFC 9460). The DNS is asked beside the loads: none waits for the answer
/// longer than for addresses, and what isn't known yet counts as nothing.
///
/// Owned by the session; confined to its event loop.
package final class ServiceBindingCache: @unchecked Sendable {
  // @unchecked: `entries`, `round` and `found` are confined to `eventLoop`; the rest is immutable.

  /// Those that are told of an answer.
  private typealias Listeners = [([ServicePlace]) -> Void]

  private enum Entry {
    case asking(Listeners)
    case known(Answer, until: Instant)
  }

  /// What has been said of one origin, and what has come of it.
  private struct Answer {
    /// In the order in which they are tried over TCP.
    var places: [ServicePlace] = []
    /// Where HTTP/3 is offered.
    var alternative: AlternativeEndpoint?
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
  /// Whether the keys for ClientHellos are used.
  private let encrypts: Bool
  private var entries = BoundedTable<Origin, Entry>(limit: ServiceBindingRules.limit)
  /// Counts how often everything was forgotten: later answers to earlier questions are dropped.
  private var round = 0
  /// Told that a place of HTTP/3 has become known, of an origin that was asked for before.
  package var found: ((Origin) -> Void)?

  package init(eventLoop: any EventLoop, clock: any LoadClock, service: any ServiceBindingResolver, encrypts: Bool = true) {
    self.encrypts = encrypts
    self.eventLoop = eventLoop
    self.clock = clock
    self.service = service
  }

  /// Where `origin` is served by HTTP/3; nil if that is nowhere, or not known yet: then the DNS is asked, and `found` tells.
  package func place(of origin: Origin) -> AlternativeEndpoint? { answer(of: origin)?.alternative }

  /// Where `origin` is served, in the order in which the places are to be tried over TCP; empty if nothing is said of it. nil if the DNS is being
  /// asked: `tell` is called once it has answered, and never if the networks change before.
  package func places(of origin: Origin, _ tell: @escaping ([ServicePlace]) -> Void) -> [ServicePlace]? {
    if let answer = answer(of: origin) { return answer.places }
    guard case .asking(let listeners)? = entries[origin] else { return [] }
    entries[origin] = .asking(listeners + [tell])
    return nil
  }

  /// As `places`, as far as the DNS has said them: it isn't asked.
  package func knownPlaces(of origin: Origin) -> [ServicePlace] {
    guard case .known(let answer, let until)? = entries[origin], until > clock.now else { return [] }
    return answer.places
  }

  /// nil if the DNS is being asked, or can't be.
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

  /// The place has turned out not to serve `origin` by HTTP/3: it counts as none until the DNS is asked again.
  package func forget(_ place: AlternativeEndpoint, of origin: Origin) {
    change(origin) { answer in
      if let known = answer.alternative, (known.host, known.port) == (place.host, place.port) { answer.alternative = nil }
    }
  }

  /// The first place that could be connected to: it stays the first until the DNS is asked again. Where that is none of the records', it is the
  /// origin itself.
  package func prefer(_ place: ServicePlace, of origin: Origin) {
    change(origin) { answer in
      guard !answer.places.isEmpty else { return }
      answer.places = [place] + answer.places.filter { !$0.isSame(place) }
    }
  }

  /// The place has turned out not to serve `origin` over TCP: it counts as none until the DNS is asked again.
  package func drop(_ place: ServicePlace, of origin: Origin) {
    change(origin) { $0.places.removeAll(where: place.isSame) }
  }

  private func change(_ origin: Origin, _ change: (inout Answer) -> Void) {
    assert(eventLoop.inEventLoop)
    guard case .known(var answer, let until)? = entries[origin] else { return }
    change(&answer)
    entries[origin] = .known(answer, until: until)
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
      // Aliases without an end lead nowhere.
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
