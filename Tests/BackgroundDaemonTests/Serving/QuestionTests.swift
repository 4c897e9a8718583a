import BackgroundDaemon
import BackgroundTransfers
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
        let app = try await ground.app(answersChallenges: true)
        app.begin(.download(1, server.url("/basic-auth/me/secret")))
        _ = try await challenge(app)
        // It ends without having answered.
        app.link.close()
        await app.end()
        _ = try await ground.tool().list { $0.first?.phase == .finished }
        let again = try ground.attach(ground.terms())
        #expect(status(try await again.event()) == 401)
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
}
