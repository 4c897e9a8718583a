import Foundation
import LoadingModel
import NIOEmbedded
import Testing
import URLLoadingTestKit

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10))) struct WaitingLoadsTests {
  /// A delegate that is asked nothing here.
  private final class App: PeerEvaluator {
    var decider: AnyObject? { self }
    func evaluate(_ trust: PeerTrust, _ answer: @escaping @Sendable (TrustAnswer) -> Void) {}
    func identify(_ request: ClientCertificateRequest, _ answer: @escaping @Sendable (IdentityAnswer) -> Void) {}
  }

  private final class Owner: WaitingLoadOwner {
    func interrupted(_ load: WaitingLoad, _ error: LoadError) {}
    func phase(of load: WaitingLoad) -> LoadError.Phase? { nil }
  }

  private let owner = Owner()
  private let app = App()
  private let executor = LoopExecutor(EmbeddedEventLoop())
  private let destination = Destination(Origin(scheme: "https", host: "example.org", port: 443))

  private var context: LoadContext {
    LoadContext(executor: executor, clock: ManualClock(), request: LoadRequest(url: URL(string: "https://example.org/")), idleTimeout: 60)
  }

  /// Loads by their number; those with a decider have an app that may be asked.
  private func loads(_ deciders: [Int?]) -> WaitingLoads {
    var waiting = WaitingLoads()
    for (id, decider) in deciders.enumerated() {
      waiting.add(WaitingLoad(id, destination, owner, context, decider.map { _ in app }, decider: decider ?? 0))
    }
    return waiting
  }

  private func attempt(_ id: Int, for cause: Int? = nil, isBesideTCP: Bool = false) -> ConnectAttempt {
    ConnectAttempt(id, destination, for: cause, offersHTTP2: !isBesideTCP, isBesideTCP: isBesideTCP)
  }

  @Test func numbersGrowAndComeBackBeforeLaterOnes() {
    var waiting = WaitingLoads()
    let (first, second) = (context, context)
    let turns = (waiting.turn(of: first), waiting.turn(of: second), waiting.turn(of: first))
    #expect(turns.0 < turns.2)
    #expect(turns.2 < turns.1)
  }

  @Test func loadThatComesBackForEverGetsAPlaceBehindOthersAtLast() {
    var waiting = WaitingLoads()
    let (first, second) = (context, context)
    _ = waiting.turn(of: first)
    let second1 = waiting.turn(of: second)
    var turns: Set<Int> = [second1]
    var last = 0
    for _ in 0..<1000 {
      last = waiting.turn(of: first)
      #expect(turns.insert(last).inserted)
    }
    #expect(last > second1)
  }

  @Test func attemptIsMadeForTheLoadThatCausedIt() {
    let waiting = loads([nil, nil, nil])
    let attempt = attempt(1, for: 2)
    #expect(waiting.asker(for: attempt, in: [0, 1, 2])?.id == 2)
    #expect(waiting[2]?.attempt === attempt)
    // And stays so.
    #expect(waiting.asker(for: attempt, in: [0, 1])?.id == 2)
  }

  @Test func attemptIsMadeForTheNextLoadWhereItsOwnHasOne() {
    let waiting = loads([nil, nil, nil])
    let (first, second) = (attempt(1, for: 0), attempt(2, for: 0))
    #expect(waiting.asker(for: first, in: [0, 1, 2])?.id == 0)
    #expect(waiting.asker(for: second, in: [0, 1, 2])?.id == 1)
  }

  @Test func attemptIsMadeForNoLoadWhereAllHaveOne() {
    let waiting = loads([nil])
    let (first, second) = (attempt(1), attempt(2))
    #expect(waiting.asker(for: first, in: [0]) != nil)
    #expect(waiting.asker(for: second, in: [0]) == nil)
    #expect(second.asker == nil)
  }

  @Test func successorHasTheDelegateThatWasAsked() {
    let waiting = loads([nil, 1, 2])
    let attempt = attempt(1)
    attempt.hasYielded = true
    #expect(waiting.successor(for: attempt, 2, in: [0, 1, 2])?.decider == 2)
    #expect(attempt.asker == 2)
    #expect(!attempt.hasYielded)
    #expect(waiting.successor(for: self.attempt(2), 2, in: [0, 1, 2]) == nil)
    #expect(waiting.successor(for: self.attempt(3), nil, in: [0, 1, 2])?.decider == 1)
  }

  @Test func attemptOverQUICTakesALoadWithoutAnAttemptFirst() {
    let waiting = loads([1, 1])
    let (tcp, quic) = (attempt(1, for: 0), attempt(2, isBesideTCP: true))
    #expect(waiting.asker(for: tcp, in: [0, 1])?.id == 0)
    #expect(waiting.challenger(for: quic, nil, in: [0, 1]) != nil)
    #expect(quic.asker == 1)
    #expect(!tcp.hasYielded)
  }

  @Test func attemptOverQUICTakesTheLoadOfOneThatHasNotAsked() {
    let waiting = loads([1])
    let (tcp, quic) = (attempt(1, for: 0), attempt(2, isBesideTCP: true))
    #expect(waiting.asker(for: tcp, in: [0])?.id == 0)
    // Nothing is known of what it asks, before its handshake.
    #expect(waiting.challenger(for: quic, nil, in: [0]) == nil)
    tcp.questions = PeerChallengeHandler(tcp.origin, nil, identities: ClientIdentityCache()) { _ in nil }
    #expect(waiting.challenger(for: quic, nil, in: [0]) != nil)
    #expect(tcp.hasYielded)
    #expect(tcp.asker == nil)
    #expect(waiting.asker(of: quic)?.id == 0)
    #expect(waiting.asker(of: tcp) == nil)
  }

  /// A handshake that is begun afresh may ask what the one before didn't come to.
  @Test func attemptOverQUICAsksTheAppOfItsOwnLoadOnceMore() {
    let waiting = loads([1, 1])
    let quic = attempt(1, for: 0, isBesideTCP: true)
    #expect(waiting.challenger(for: quic, nil, in: [0]) != nil)
    #expect(quic.asker == 0)
    #expect(waiting.challenger(for: quic, 1, in: [0, 1]) != nil)
    #expect(quic.asker == 0)
    #expect(waiting[1]?.attempt == nil)
    // Not where another delegate was asked.
    #expect(waiting.challenger(for: quic, 2, in: [0, 1]) == nil)
  }

  @Test func releasedLoadMayHaveAnotherAttempt() {
    let waiting = loads([1])
    let (first, second) = (attempt(1), attempt(2))
    _ = waiting.asker(for: first, in: [0])
    // It isn't this one's to release.
    waiting.release(from: second)
    #expect(waiting[0]?.attempt === first)
    waiting.release(from: first)
    #expect(waiting.asker(for: second, in: [0])?.id == 0)
  }

  @Test func answerIsForLoadsOfTheSameDelegate() {
    let waiting = loads([1, 2, 1, nil])
    #expect(waiting.sharing(0, in: [0, 1, 2, 3]) == [0, 2])
    #expect(waiting.areAsked([3, 1]))
    #expect(!waiting.areAsked([3]))
  }
}
