import LoadingModel
import NIOCore
import ProtocolRules

// Which app is asked about the server of an attempt over QUIC: one whose load waits, or one whose load has a connection over TCP.

/// A load that has a connection over TCP, and whose app may be asked about one over QUIC beside it. The load isn't kept.
struct Companion {
  private weak var evaluator: (any PeerEvaluator)?
  private weak var context: LoadContext?
  let decider: Int

  /// nil if the load has no app to ask.
  init?(_ evaluator: (any PeerEvaluator)?, _ context: LoadContext, decider: Int) {
    guard let evaluator else { return nil }
    (self.evaluator, self.context, self.decider) = (evaluator, context, decider)
  }

  /// What a handshake needs to ask its app; nil once the load has ended, or is about to.
  var asked: PeerChallengeHandler.Load? {
    guard let evaluator, let context, !context.isOver, context.failure == nil else { return nil }
    return PeerChallengeHandler.Load(evaluator: evaluator, context: context, decider: decider, isWaiting: false)
  }
}

extension ConnectionPool {
  /// The app that an attempt over QUIC asks: that of a load whose attempt over TCP hasn't asked anything, which then won't; else that of a
  /// load that has a connection over TCP.
  ///
  /// - Parameter decider: The delegate that has been asked before; nil for any.
  func asked(by attempt: ConnectAttempt, _ decider: Int? = nil) -> PeerChallengeHandler.Load? {
    let line = machine.line(attempt.destination).compactMap { waiters[$0] }.filter { $0.mayBeAsked(as: decider) }
    let waiter =
      line.first { $0.attempt == nil } ?? line.first { $0.attempt !== attempt && $0.attempt?.questions?.hasAsked == false }
    guard let waiter else {
      guard let companion = races[attempt.destination]?.companion?.asked, (decider ?? companion.decider) == companion.decider else {
        return nil
      }
      attempt.asker = nil
      return companion
    }
    if let other = waiter.attempt {
      other.questions?.yield()
      other.asker = nil
      other.hasYielded = true
    }
    waiter.attempt = attempt
    attempt.asker = waiter.id
    return waiter.asked
  }

  /// The load that waits and whose app is being asked about the server over QUIC, or has just accepted it.
  func asked(to destination: Destination) -> Int? {
    guard let attempt = races[destination]?.attempt, let asker = attempt.asker else { return nil }
    return waiters[asker]?.attempt === attempt ? asker : nil
  }

  /// The loads that wait and that a connection serves which the app of `asker` accepts: that one, and others with its delegate.
  func sharing(_ asker: Int, _ destination: Destination) -> Set<Int> {
    let decider = waiters[asker]?.decider
    return Set(machine.line(destination).filter { $0 == asker || waiters[$0]?.evaluator != nil && waiters[$0]?.decider == decider })
  }

  /// A handshake over QUIC has come to its question, and no load is there to be asked: it waits a while for one.
  func lacksAsker(_ attempt: ConnectAttempt) {
    guard let race = races[attempt.destination], race.attempt === attempt else { return attempt.end() }
    plan(at: clock.now.advanced(bySeconds: AlternativeRules.askerPatience), of: race) { _, race in
      guard race.attempt.questions?.isLacking == true else { return }
      race.attempt.foundNoAsker = true
      race.attempt.end()
    }
  }

  /// A load that has waited goes over TCP: its app may be asked about the connection over QUIC that is on its way.
  func accompany(_ waiter: Waiter, _ connection: HTTPConnection) {
    guard connection.protocolName != "h3", let race = races[waiter.destination],
      let companion = Companion(waiter.evaluator, waiter.context, decider: waiter.decider)
    else { return }
    race.join(companion)
  }

  /// A load has got `connection` at once: HTTP/3 is tried beside it, for loads to come.
  ///
  /// - Parameters:
  ///   - companion: The load, if its app is asked about servers.
  ///   - takes: How servers must have been accepted for such loads.
  func explore(
    _ destination: Destination, beside connection: HTTPConnection, for companion: Companion?, _ context: LoadContext,
    _ takes: PeerAcceptance
  ) {
    guard connection.protocolName != "h3" else {
      unexplored[destination.origin] = nil
      return
    }
    if let race = races[destination] {
      guard let companion else { return }
      race.join(companion)
      // The attempt was begun for loads without an app to ask: what it brings may not serve this one.
      if race.attempt.questions == nil { noteUnexplored(destination.origin) }
      return
    }
    let isAssumed = context.terms.assumesHTTP3
    guard unexplored.take(destination.origin) != nil || isAssumed, !machine.isDraining,
      !machine.hasAlternative(destination, for: takes)
    else { return }
    _ = race(to: destination, isAssumed: isAssumed, beside: companion)
  }
}
