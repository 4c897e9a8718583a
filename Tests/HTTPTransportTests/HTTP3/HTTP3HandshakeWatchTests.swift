#if HTTP3
  import LoadingModel
  import NIOCore
  import NIOEmbedded
  import Testing
  import URLLoadingTestKit

  @testable import HTTPTransport

  /// Handshakes whose server falls silent in the middle: it may have forgotten them.
  @Suite(.timeLimit(.minutes(10))) struct HTTP3HandshakeWatchTests {
    @Test(arguments: [true, false]) func silentServerEndsAHandshakeOnlyIfAskedTo(_ endsInSilence: Bool) throws {
      try HTTP3Pair.run { pair in
        pair.endsInSilence = endsInSilence
        pair.network.losesAllAfterFirst(.toClient)
        let first = pair.dial()
        pair.run(.seconds(2))
        #expect(first.error == nil && first.connection == nil)
        pair.run(.seconds(8))
        #expect(first.isSilence == endsInSilence)
        #expect((first.error != nil) == endsInSilence)
        pair.network.change(.toClient) { $0.arriving = nil }
        _ = try pair.connect()
      }
    }

    /// Silence is three times what the first answer took, where that is long.
    @Test func slowNetworkIsNotTakenForASilentServer() throws {
      try HTTP3Pair.run { pair in
        pair.endsInSilence = true
        for direction in DatagramNetwork.Direction.allCases { pair.network.change(direction) { $0.latency = .seconds(2) } }
        let dialled = pair.dial()
        pair.run(.seconds(30))
        #expect(dialled.connection != nil && dialled.error == nil)
      }
    }

    /// A server that knows the handshake no more gets no request.
    @Test func connectionThatWasAskedAboutForLongIsUsedOnceTheServerHasConfirmedIt() throws {
      try HTTP3Pair.run { pair in
        let app = App(pair)
        pair.endsInSilence = true
        let first = pair.dial()
        pair.run(.seconds(20))
        #expect(app.asked == 1 && first.error == nil)
        pair.network.cut(true)
        app.answer?(.trusted)
        pair.run(.seconds(2))
        #expect(first.connection == nil && first.error == nil)
        pair.run(.seconds(2))
        #expect(first.isSilence)
        pair.network.cut(false)
        app.beginAgain()
        _ = try pair.connect()
        #expect(app.asked == 1)
      }
    }

    /// The connection ends when nothing has come for a minute; what the app says then is for the next one.
    @Test func appMayTakeLongerThanItsConnectionLives() throws {
      try HTTP3Pair.run { pair in
        let app = App(pair)
        pair.endsInSilence = true
        let first = pair.dial()
        pair.run(.minutes(10))
        #expect(app.asked == 1 && first.error == nil && first.connection == nil)
        app.answer?(.trusted)
        pair.run(.milliseconds(1))
        #expect(first.isSilence)
        app.beginAgain()
        _ = try pair.connect()
        #expect(app.asked == 1)
      }
    }

    @Test func appThatRefusesAfterItsConnectionHasEndedIsHeard() throws {
      try HTTP3Pair.run { pair in
        let app = App(pair)
        pair.endsInSilence = true
        let first = pair.dial()
        pair.run(.minutes(10))
        app.answer?(.refused)
        pair.run(.milliseconds(1))
        #expect(first.error?.kind == .serverCertificateUntrusted)
      }
    }

    /// RFC 9114, 5.2: nothing more is asked for over a connection whose server goes away.
    @Test func connectionWhoseServerGoesAwayDuringTheHandshakeTakesNoRequests() throws {
      try HTTP3Pair.run { pair in
        let app = App(pair)
        let dialled = pair.dial()
        pair.run(.seconds(5))
        try #require(dialled.opening).goingAway(0)
        app.answer?(.trusted)
        pair.run(.seconds(1))
        #expect(dialled.connection != nil && dialled.connection?.isOpen == false)
        #expect(pair.owner.goneAway == 0)
      }
    }

    @Test func connectionIsUsedAtOnceWhereTheAppWasQuick() throws {
      try HTTP3Pair.run { pair in
        let app = App(pair)
        let dialled = pair.dial()
        pair.run(.milliseconds(500))
        #expect(app.asked == 1)
        pair.network.cut(true)
        app.answer?(.trusted)
        pair.run(.milliseconds(1))
        #expect(dialled.connection != nil)
      }
    }

    @Test func lateConnectionIsUsedWhenTheServerHasConfirmedIt() throws {
      try HTTP3Pair.run { pair in
        let app = App(pair)
        let dialled = pair.dial()
        pair.run(.seconds(5))
        app.answer?(.trusted)
        pair.run(.milliseconds(1))
        #expect(dialled.connection == nil)
        pair.run(.seconds(1))
        let connection = try #require(dialled.connection)
        let exchange = pair.start(on: connection)
        pair.run(.seconds(1))
        #expect(exchange.answer.isComplete)
      }
    }
  }

  /// An app that is asked about the server and answers when the test does.
  private final class App: PeerEvaluator, @unchecked Sendable {
    // @unchecked: used by one test, step by step.
    private unowned let pair: HTTP3Pair
    private(set) var asked = 0
    private(set) var answer: (@Sendable (TrustAnswer) -> Void)?
    var decider: AnyObject? { self }

    init(_ pair: HTTP3Pair) {
      self.pair = pair
      beginAgain()
    }

    /// Another handshake of the same attempt.
    func beginAgain() {
      let load = PeerChallengeHandler.Load(evaluator: self, context: pair.loadContext(), decider: 7)
      pair.questions = PeerChallengeHandler(
        pair.origin, load, identities: ClientIdentityCache(), knowing: pair.questions?.answers
      ) { _ in nil }
    }

    func evaluate(_ trust: PeerTrust, _ answer: @escaping @Sendable (TrustAnswer) -> Void) {
      asked += 1
      self.answer = answer
    }

    func identify(_ request: ClientCertificateRequest, _ answer: @escaping @Sendable (IdentityAnswer) -> Void) { answer(.none) }
  }
#endif
