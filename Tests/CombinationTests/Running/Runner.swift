import Foundation
import LoadingModel
import URLLoadingSystem
import URLLoadingTestKit

/// Runs one case and says what didn't hold.
struct Runner: Sendable {
  let chosen: Case
  /// Seconds after which what hasn't ended hangs.
  let patience: Int

  /// What was found at the end of a case.
  struct Outcome: Sendable {
    var problems: [String] = []
    /// Something of the case is still under way: what it holds isn't given back.
    var hangs = false
    /// Those that the case's servers had.
    var ports: [Int] = []
  }

  func run() async -> Outcome {
    let leaks = LeakCheck()
    do {
      var outcome = try await Scene.with(chosen) { scene in
        var outcome = await run(scene, leaks)
        outcome.ports = scene.ports
        return outcome
      }
      guard !outcome.hangs else { return outcome }
      do { try await leaks.verify(waits: patience * 1000) } catch { outcome.problems.append("\(error)") }
      return outcome
    } catch {
      return Outcome(problems: ["the servers of the case don't start: \(error)"])
    }
  }

  private func run(_ scene: Scene, _ leaks: LeakCheck) async -> Outcome {
    let journals = (0..<chosen.tasks.number).map { Journal($0, isEndedByDelegate: isEndedByDelegate) }
    let app = App(chosen, scene, journals)
    leaks.track(app, "delegate")
    defer { app.forget() }
    let session = makeSession(scene, app)
    leaks.track(session, "session")
    await warmUp(scene, session)
    app.hasBegun.update { $0 = true }
    let file = sourceFile()
    defer { try? FileManager.default.removeItem(at: file) }
    let launcher = Launcher(chosen: chosen, scene: scene, app: app, session: session, file: file)
    let launches = journals.map { launcher.launch($0) }
    let hung = await perform(scene, session, app, launches)
    var outcome = Outcome()
    if let hung { outcome = Outcome(problems: [hung], hangs: true) }
    outcome.problems += Checks(chosen: chosen, scene: scene, app: app, journals: journals).problems(isComplete: hung == nil)
    return outcome
  }

  private var isEndedByDelegate: Bool { chosen.interface == .sessionDelegate || chosen.interface == .taskDelegate }

  private func makeSession(_ scene: Scene, _ app: App) -> URLSession {
    let configuration =
      chosen.work.isBackground ? URLSessionConfiguration.background(withIdentifier: UUID().uuidString) : scene.configuration
    return URLSession(configuration: configuration, delegate: app, delegateQueue: nil)
  }

  private func sourceFile() -> URL {
    let file = FileManager.default.temporaryDirectory.appending(path: "combination-\(UUID().uuidString)")
    if chosen.source == .whole, chosen.work == .uploadFile || chosen.work == .backgroundUpload {
      try? alphabet(chosen.size.count).write(to: file)
    }
    return file
  }

  /// What must have been loaded before, for another way or a ticket to be known.
  private func warmUp(_ scene: Scene, _ session: URLSession) async {
    #if HTTP3
      if chosen.wire == .alternative { _ = try? await session.data(from: scene.url("/warm")) }
      if chosen.wire.isEarly { _ = try? await session.data(from: scene.url("/bye")) }
    #endif
  }

  /// - Returns: What hangs.
  private func perform(_ scene: Scene, _ session: URLSession, _ app: App, _ launches: [Launch]) async -> String? {
    let watching = Task { await Runner.mark(requestsOf: scene.server, app.journals) }
    defer { watching.cancel() }
    let actions = Actions(chosen: chosen, scene: scene, session: session, launches: launches, app: app)
    await actions.beforehand()
    for launch in launches {
      launch.begin()
      launch.journal.mark(.resumed)
    }
    let acting = Task { await actions.meanwhile() }
    for journal in app.journals {
      guard await within(patience, { try await journal.state.wait { $0.ends > 0 } }) else {
        acting.cancel()
        return "task \(journal.number) doesn't end"
      }
    }
    await acting.value
    for journal in app.journals {
      guard await within(patience, { try await journal.state.wait { $0.readers == 0 } }) else {
        return "task \(journal.number) has ended, and a call of it doesn't return"
      }
    }
    return await end(scene, session, app)
  }

  private func end(_ scene: Scene, _ session: URLSession, _ app: App) async -> String? {
    session.finishTasksAndInvalidate()
    let clock = chosen.action == .timeOut ? scene.clock : nil
    let ticking = Task {
      while let clock, !Task.isCancelled {
        clock.advance(by: 11)
        try? await Task.sleep(for: .milliseconds(2))
      }
    }
    defer { ticking.cancel() }
    guard await within(patience, { try await app.isInvalid.wait { $0 } }) else { return "the session doesn't become invalid" }
    await session.flush()
    scene.stall.open()
    for server in [scene.server, scene.other] {
      guard await within(patience, { try await server.waitForConnections(open: 0) }) else {
        return "\(server.openConnections) connections stay open"
      }
    }
    return nil
  }

  /// Tells the journals when the server has got their requests.
  private static func mark(requestsOf server: TestServer, _ journals: [Journal]) async {
    var number = 0
    while !Task.isCancelled {
      number += 1
      guard let request = try? await server.waitForRequestHead(number) else { return }
      guard let task = request.headers[Users.field].flatMap({ Int($0) }), journals.indices.contains(task) else { continue }
      journals[task].mark(.requested)
    }
  }

  /// False if `body` doesn't return within so many seconds.
  private func within(_ seconds: Int, _ body: @escaping @Sendable () async throws -> Void) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        do {
          try await body()
          return true
        } catch { return false }
      }
      group.addTask {
        try? await Task.sleep(for: .seconds(seconds))
        return false
      }
      let isInTime = await group.next() ?? false
      group.cancelAll()
      return isInTime
    }
  }
}
