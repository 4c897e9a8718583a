import BackgroundDaemon
import BackgroundTransfers
import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct QuestionTests {
  private func challenge(_ app: Peer) async throws -> (Int64, ChallengeQuestion) {
    try await app.next("challenge") { if case .challenge(let number, let question) = $0 { (number, question) } else { nil } }
  }

  private func status(_ event: TransferEvent) -> Int? {
    (event.outcome.response.flatMap { BackgroundCoding.response($0) } as? HTTPURLResponse)?.statusCode
  }

  @Test func anAttachedAppAnswersChallenges() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await TestServer.with { server in
      server.add(.standard)
      try await ground.serving { _ in
        let app = try await ground.app(answersChallenges: true)
        app.begin(.download(1, server.url("/basic-auth/me/secret")))
        let (number, question) = try await challenge(app)
        #expect(question.realm == "test")
        #expect(question.task == 1)
        guard case .status(let waiting) = try await ground.tool().ask(.status) else { throw TestFailure(text: "no status") }
        #expect(waiting.running == 0 && waiting.waiting == 1)
        let credential = URLCredential(user: "me", password: "secret", persistence: .none)
        app.send(.answer(question: number, BackgroundCoding.reply(.useCredential, credential)))
        #expect(status(try await app.event()) == 200)
      }
    }
  }

  @Test func withoutAnAppTheDefaultApplies() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await TestServer.with { server in
      server.add(.standard)
      try await ground.serving { _ in
        let app = try await ground.app()
        app.begin(.download(1, server.url("/basic-auth/me/secret")))
        _ = try await ground.tool().list { $0.first?.phase == .finished }
        #expect(status(try await app.event()) == 401)
      }
    }
  }

  @Test(arguments: [("secret", 200), ("wrong", 401)])
  func theStorageOfAnAppThatTakesNoChallengesIsAskedOnce(password: String, expected: Int) async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await TestServer.with { server in
      server.add(.standard)
      try await ground.serving { _ in
        let app = try ground.attach(ground.terms(), answersFromStorage: true)
        try await app.caughtUp()
        app.begin(.download(1, server.url("/basic-auth/me/secret")))
        answer(app, try await challenge(app).0, password: password)
        #expect(status(try await app.event()) == expected)
      }
    }
  }

  @Test func aStorageThatDoesNotAnswerInTimeIsDoneWithout() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    var options = DaemonGround.options
    options.questionPatience = 0.01
    try await TestServer.with { server in
      server.add(.standard)
      try await ground.serving(options) { _ in
        let app = try ground.attach(ground.terms(), answersFromStorage: true)
        try await app.caughtUp()
        app.begin(.download(1, server.url("/basic-auth/me/secret")))
        _ = try await challenge(app)
        #expect(status(try await app.event()) == 401)
      }
    }
  }

  @Test func aTransferWaitsForAnAppThatHasSaidThatItAnswers() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await TestServer.with { server in
      server.add(.standard)
      try await ground.serving { _ in
        let app = try await ground.app(answersChallenges: true)
        app.begin(.download(1, server.url("/basic-auth/me/secret")))
        _ = try await challenge(app)
        // It ends without having answered.
        app.link.close()
        await app.end()
        _ = try await ground.tool().list { $0.first?.phase == .waiting && $0.first?.reason?.contains("its app") == true }
      }
      // Also with the next daemon.
      try await ground.serving { _ in
        _ = try await ground.tool().list { $0.first?.phase == .waiting && $0.first?.reason?.contains("its app") == true }
        let again = try await ground.app(answersChallenges: true)
        let (number, _) = try await challenge(again)
        answer(again, number, password: "secret")
        #expect(status(try await again.event()) == 200)
      }
    }
  }

  @Test func aServerOfAPrivateAuthorityWaitsForTheAppThatTrustsIt() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let authority = try TestCertificateAuthority(name: "Private")
    var options = TestServer.Options()
    options.tls = .certificate(try authority.issue())
    try await TestServer.with(options) { server async throws in
      server.route("/f", reply: .text("here"))
      try await ground.serving { _ in
        let app = try await ground.app(answersChallenges: true)
        app.send(.create(.download(1, server.url("/f"))))
        try await app.created(1)
        app.link.close()
        await app.end()
        let tool = try ground.tool()
        let listed = try #require(try await tool.list { $0.count == 1 }.first)
        tool.send(.tool(.resume(listed.identifier)))
        _ = try await tool.list { $0.first?.phase == .waiting && $0.first?.reason?.contains("its app") == true }
        let again = try await ground.app(answersChallenges: true)
        let (number, question) = try await challenge(again)
        #expect(question.method == NSURLAuthenticationMethodServerTrust)
        again.send(.answer(question: number, ChallengeReply(disposition: 0, credential: .trust)))
        #expect(status(try await again.event()) == 200)
      }
    }
  }

  /// The app ends and is there again before what was decided without it has come to its end.
  @Test func anAppThatComesBackAtOnceIsAskedAgain() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let authority = try TestCertificateAuthority(name: "Private")
    var options = TestServer.Options()
    options.tls = .certificate(try authority.issue())
    try await TestServer.with(options) { server async throws in
      server.route("/f", reply: .text("here"))
      try await ground.serving { _ in
        let app = try await ground.app(answersChallenges: true)
        app.begin(.download(1, server.url("/f")))
        _ = try await challenge(app)
        app.link.close()
        let again = try await ground.app(answersChallenges: true)
        let (number, _) = try await challenge(again)
        again.send(.answer(question: number, ChallengeReply(disposition: 0, credential: .trust)))
        #expect(status(try await again.event()) == 200)
        await app.end()
      }
    }
  }

  @Test func aTransferWaitsForAnAppThatCanBeLaunched() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let launch = SessionTerms.Launch.command(["/bin/true"], folder: nil, environment: [:])
    try await TestServer.with { server in
      server.add(.standard)
      try await ground.serving { _ in
        let app = try ground.attach(ground.terms(launch: launch), answersChallenges: true)
        try await app.caughtUp()
        app.begin(.download(1, server.url("/basic-auth/me/secret")))
        _ = try await challenge(app)
        app.link.close()
        await app.end()
        let tool = try ground.tool()
        _ = try await tool.list { $0.first?.phase == .waiting && $0.first?.reason?.contains("its app") == true }
        let again = try ground.attach(ground.terms(launch: launch), answersChallenges: true)
        let (number, _) = try await challenge(again)
        let credential = URLCredential(user: "me", password: "secret", persistence: .none)
        again.send(.answer(question: number, BackgroundCoding.reply(.useCredential, credential)))
        #expect(status(try await again.event()) == 200)
      }
    }
  }

  @Test func aDelayedTaskBeginsWhenTheAppSaysSo() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await TestServer.with { server in
      server.route("/f", reply: .text("original"))
      server.route("/g", reply: .text("another"))
      try await ground.serving { _ in
        let app = try await ground.app(answersDelays: true)
        for task in 1...3 {
          var order = TransferOrder.download(task, server.url("/f"))
          order.earliestBegin = Date(timeIntervalSinceNow: -1)
          app.begin(order)
        }
        for _ in 1...3 {
          let (number, task) = try await app.next("delayed") {
            if case .delayed(let number, let task) = $0 { (number, task) } else { nil }
          }
          switch task {
          case 1: app.send(.begin(question: number, .proceed))
          case 2: app.send(.begin(question: number, .replace(request: Requests.archived(server.url("/g")))))
          default: app.send(.begin(question: number, .cancel))
          }
        }
        var texts: [Int: String] = [:]
        for _ in 1...3 {
          let event = try await app.event()
          let file = event.outcome.file.flatMap { try? String(contentsOfFile: $0, encoding: .utf8) }
          texts[event.task] = file ?? "\(event.outcome.error?.code ?? 0)"
        }
        #expect(texts == [1: "original", 2: "another", 3: "-999"])
      }
    }
  }

  @Test func delayedTasksThatTheAppLetsBeginWaitForAPlace() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    var options = DaemonGround.options
    options.maximumRunning = 1
    try await TestServer.with { server in
      let gate = Gate()
      server.route("/f", reply: Reply(body: .text("ab"), faults: [.stallAfter(bodyBytes: 1, gate: gate)]))
      try await ground.serving(options) { _ in
        let app = try await ground.app(answersDelays: true)
        var questions: [Int64] = []
        // Each is asked about in a turn of its own: a question takes no place.
        for task in 1...3 {
          var order = TransferOrder.download(task, server.url("/f"))
          order.earliestBegin = Date(timeIntervalSinceNow: -1)
          app.begin(order)
          questions.append(try await app.next("delayed") { if case .delayed(let number, task) = $0 { number } else { nil } })
        }
        for number in questions { app.send(.begin(question: number, .proceed)) }
        try await app.barrier(task: 4)
        guard case .status(let status) = try await ground.tool().ask(.status) else { throw TestFailure(text: "no status") }
        #expect(status.running <= 1)
        gate.open()
        var tasks: Set<Int> = []
        for _ in 1...3 { tasks.insert(try await app.event().task) }
        #expect(tasks == [1, 2, 3])
      }
    }
  }

  private func answer(_ app: Peer, _ number: Int64, password: String = "secret") {
    let credential = URLCredential(user: "me", password: password, persistence: .none)
    app.send(.answer(question: number, BackgroundCoding.reply(.useCredential, credential)))
  }

  @Test func aChallengeThatIsNotAnsweredGivesItsPlaceToOthersOfTheSession() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    var options = DaemonGround.options
    options.maximumRunning = 1
    options.questionPatience = 0.01
    try await TestServer.with { server in
      server.add(.standard)
      server.route("/f", reply: .text("fine"))
      try await ground.serving(options) { _ in
        let app = try await ground.app(answersChallenges: true)
        app.begin(.download(1, server.url("/basic-auth/me/secret")))
        let (late, _) = try await challenge(app)
        app.begin(.download(2, server.url("/f")))
        #expect(try await app.event().task == 2)
        _ = try await ground.tool().list { $0.first?.phase == .waiting && $0.first?.reason?.contains("its app") == true }
        // The answer comes after all: the server is asked anew, and so is the app.
        answer(app, late)
        let (number, question) = try await challenge(app)
        #expect(question.task == 1 && number != late)
        answer(app, number)
        // On a busy machine that comes too late again.
        var status: Int?
        while status == nil { status = try await statusOrChallenge(app) }
        #expect(status == 200)
      }
    }
  }

  /// The status of the next event; nil if the app was too late again and is asked once more, with the answer to that one sent.
  private func statusOrChallenge(_ app: Peer) async throws -> Int? {
    let next: (Int?, Int64?) = try await app.next("event or challenge") { message in
      switch message {
      case .event(let event): (status(event), nil)
      case .challenge(let number, _): (nil, number)
      default: nil
      }
    }
    if let number = next.1 { answer(app, number) }
    return next.0
  }

  @Test func aTransferThatWaitsForItsAppDoesSoAfterARestart() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let script = "echo once >> launches; cp launches draft; mv draft launches-$(wc -l < launches | tr -d ' ')"
    let launch = SessionTerms.Launch.command(
      ["/bin/sh", "-c", script], folder: ground.folder.path(percentEncoded: false), environment: [:])
    let arrivals = try (1...2).map { try FileArrival("launches-\($0)", in: ground.folder) }
    try await TestServer.with { server in
      server.add(.standard)
      try await ground.serving { _ in
        let app = try ground.attach(ground.terms(launch: launch), answersChallenges: true)
        try await app.caughtUp()
        app.begin(.download(1, server.url("/basic-auth/me/secret")))
        _ = try await challenge(app)
        app.link.close()
        #expect(await arrivals[0].wait())
      }
      var options = DaemonGround.options
      options.clock = { .system(later: 120) }
      try await ground.serving(options) { _ in #expect(await arrivals[1].wait()) }
    }
  }

  @Test func anAppThatAnswersMayBeLaunchedAgainAtOnce() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let arrival = try FileArrival("launched", in: ground.folder)
    let launch = SessionTerms.Launch.command(
      ["/bin/sh", "-c", "touch draft; mv draft launched"], folder: ground.folder.path(percentEncoded: false), environment: [:])
    try await TestServer.with { server in
      server.add(.standard)
      var attached: [AnyObject] = []
      defer { attached = [] }
      try await ground.serving { _ in
        let app = try ground.attach(ground.terms(launch: launch), answersChallenges: true)
        try await app.caughtUp()
        app.begin(.download(1, server.url("/basic-auth/me/secret")))
        _ = try await challenge(app)
        app.link.close()
        #expect(await arrival.wait())
        let again = try ground.attach(ground.terms(launch: launch), answersChallenges: true)
        let (number, _) = try await challenge(again)
        answer(again, number, password: "wrong")
        _ = try await challenge(again)
        // As long as the daemon runs: it would launch the app for the next challenge.
        attached.append(again)
      }
    }
    let queue = try TransferQueue(folder: ground.places.data, settings: ground.places.settings)
    #expect(try queue.sessions.all().map(\.launches.failures) == [0])
  }
}
