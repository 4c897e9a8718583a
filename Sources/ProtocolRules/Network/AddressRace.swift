/// Decides which of a host's addresses are tried, and when (RFC 8305). The caller has the sockets and the clock.
///
///     resolving -> delaying -> racing -> over
///          \__________________^
///
/// Both families are looked up at the same time; each event returns the actions to take now.
package struct AddressRace<Address> {
  package enum Action {
    case attempt(Address)
    /// Call `elapsed` with this ticket after this number of seconds.
    case wait(Double, ticket: Int)
    /// No address is left to try, and no look-up is under way: the connection fails.
    case giveUp
  }

  private enum Phase {
    case resolving
    /// There are IPv4 addresses to try; the look-up of IPv6 addresses gets a short time to answer first.
    case delaying
    case racing
    case over
  }

  /// Seconds that IPv4 waits for the look-up of IPv6. RFC 8305, 3: "A RECOMMENDED value for the Resolution Delay is 50 milliseconds".
  package static var resolutionDelay: Double { 0.05 }
  /// Seconds between one attempt and the next. RFC 8305, 5: "a recommended value of 250 milliseconds".
  package static var attemptDelay: Double { 0.25 }
  /// The most attempts at one host, however many addresses it has.
  package static var limit: Int { 64 }

  private var phase = Phase.resolving
  private var waiting: [AddressFamily: [Address]] = [.v6: [], .v4: []]
  private var unanswered: Set<AddressFamily> = [.v6, .v4]
  private var latest = AddressFamily.v4
  private var running = 0
  private var begun = 0
  /// The ticket of the current wait; `elapsed` ignores those of earlier ones.
  private var ticket = 0
  private var isWaiting = false

  package init() {}

  /// Adds addresses that are tried until the look-ups answer (address hints; RFC 9460, 7.3). To be called before either look-up has answered.
  package mutating func hinted(_ hints: [AddressFamily: [Address]]) -> [Action] {
    guard case .resolving = phase, unanswered.count == AddressFamily.allCases.count else { return [] }
    waiting.merge(hints) { $1 }
    return start()
  }

  /// The look-up of one family has ended.
  ///
  /// - Parameters:
  ///   - addresses: The addresses of the answer that haven't been tried as hints; empty if the name has none of this family. nil if no name server
  ///     has answered: then the hints of this family that haven't been tried remain.
  ///   - isUrgent: Whether all attempts so far were at hints that no answer has confirmed: then the next attempt begins at once.
  package mutating func answered(_ family: AddressFamily, _ addresses: [Address]?, isUrgent: Bool = false) -> [Action] {
    guard unanswered.remove(family) != nil else { return [] }
    if let addresses { waiting[family] = addresses }
    switch phase {
    case .over: return []
    case .racing: return isWaiting && running > 0 && !(isUrgent && hasMore) ? [] : next()
    case .delaying where isEmpty(.v6) && !unanswered.isEmpty: return []
    case .resolving, .delaying: return start()
    }
  }

  private mutating func start() -> [Action] {
    if !isEmpty(.v6) || unanswered.isEmpty { return begin() }
    // RFC 8305, 3: "If a positive A response is received first … the client SHOULD wait a short time for the AAAA response".
    return isEmpty(.v4) ? [] : wait(AddressRace.resolutionDelay, entering: .delaying)
  }

  package mutating func elapsed(_ ticket: Int) -> [Action] {
    guard ticket == self.ticket else { return [] }
    isWaiting = false
    switch phase {
    case .delaying: return begin()
    case .racing: return hasMore ? next() : []
    case .resolving, .over: return []
    }
  }

  /// An attempt has failed: the next one begins at once.
  package mutating func failed() -> [Action] {
    running -= 1
    guard case .racing = phase else { return [] }
    return next()
  }

  /// An attempt has succeeded: no other address is tried.
  package mutating func succeeded() { phase = .over }

  private mutating func begin() -> [Action] {
    phase = .racing
    return next()
  }

  private mutating func next() -> [Action] {
    guard begun < AddressRace.limit, let address = take() else {
      guard running == 0, unanswered.isEmpty || begun >= AddressRace.limit else { return [] }
      phase = .over
      return [.giveUp]
    }
    running += 1
    begun += 1
    return [.attempt(address)] + (hasMore || !unanswered.isEmpty ? wait(AddressRace.attemptDelay, entering: .racing) : [])
  }

  private mutating func wait(_ seconds: Double, entering phase: Phase) -> [Action] {
    self.phase = phase
    ticket += 1
    isWaiting = true
    return [.wait(seconds, ticket: ticket)]
  }

  /// Takes the next address. RFC 8305, 4: the families take turns, IPv6 first.
  private mutating func take() -> Address? {
    let family = isEmpty(latest.other) ? latest : latest.other
    guard !isEmpty(family) else { return nil }
    latest = family
    return waiting[family]?.removeFirst()
  }

  private func isEmpty(_ family: AddressFamily) -> Bool { waiting[family]?.isEmpty ?? true }
  private var hasMore: Bool { !isEmpty(.v6) || !isEmpty(.v4) }
}

extension AddressRace.Action: Equatable where Address: Equatable {}
