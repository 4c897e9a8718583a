import ChildProcesses
import BackgroundDaemon
import BackgroundTransfers
import Foundation
import URLLoadingSystem
import URLLoadingTestKit

/// A folder with a daemon of its own: data, settings and socket.
struct DaemonGround: Sendable {
  let folder: URL
  let environment: [String: String]
  let places: BackgroundPlaces

  init() throws {
    // A short name: paths of sockets are bounded.
    folder = FileManager.default.temporaryDirectory.appending(
      path: "d-\(String(UInt32.random(in: .min ... .max), radix: 36))", directoryHint: .isDirectory)
    let runtime = folder.appending(path: "run", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: runtime, withIntermediateDirectories: true)
    var environment = ProcessInfo.processInfo.environment
    environment["URL_LOADING_SYSTEM_HOME"] = folder.path(percentEncoded: false)
    environment["XDG_RUNTIME_DIR"] = runtime.path(percentEncoded: false)
    self.environment = environment
    places = try BackgroundPlaces(environment: environment, home: folder)
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  /// Options for tests: pauses are short, and the daemon doesn't end by itself.
  static var options: BackgroundDaemon.Options {
    var options = BackgroundDaemon.Options()
    options.idleExit = 3600
    options.retryScale = 0.01
    options.progressInterval = 0.01
    return options
  }

  func makeDaemon(
    _ options: BackgroundDaemon.Options = DaemonGround.options, environment: [String: String] = [:]
  ) throws -> BackgroundDaemon {
    let end = HangLimit.end
    while ContinuousClock.now < end {
      if let daemon = try BackgroundDaemon(places: places, environment: environment, options: options) {
        try daemon.start()
        return daemon
      }
      // A program that another test is starting has this process's files, the lock among them, until it is executed.
      sched_yield()
    }
    throw TestFailure(text: "another daemon has the folder")
  }

  /// Runs `body` beside a daemon, which is stopped afterwards.
  func serving<Value>(
    _ options: BackgroundDaemon.Options = DaemonGround.options, environment: [String: String] = [:],
    _ body: (BackgroundDaemon) async throws -> Value
  ) async throws -> Value {
    let daemon = try makeDaemon(options, environment: environment)
    do {
      let value = try await body(daemon)
      await daemon.stop()
      return value
    } catch {
      await daemon.stop()
      throw error
    }
  }

  /// A new connection to the daemon. Blocks for a moment.
  func connect() throws -> Peer {
    let none = environment.merging(["URLSESSIOND_PATH": "/nonexistent"]) { $1 }
    return Peer(try DaemonStarter(places: places, environment: none).connect(patience: 1))
  }

  /// A tool's connection.
  func tool() throws -> Peer { try connect() }

  func file(_ name: String) -> URL { folder.appending(path: name, directoryHint: .notDirectory) }

  func terms(
    _ identifier: String = "session", timeout: Double = 604_800, isDiscretionary: Bool = false, launch: SessionTerms.Launch? = nil
  ) -> SessionTerms {
    let app = SessionTerms.App(
      name: "app", data: file("app-data").path(percentEncoded: false), caches: file("app-caches").path(percentEncoded: false),
      settings: file("app-settings").path(percentEncoded: false))
    return SessionTerms(
      app: app, identifier: identifier, configuration: BackgroundConfiguration(.testing()).encoded, resourceTimeout: timeout,
      isDiscretionary: isDiscretionary, launch: launch)
  }

  /// Attaches an app, without waiting for the answer.
  func attach(
    _ terms: SessionTerms, process: Int32 = getpid(), answersChallenges: Bool = false, answersFromStorage: Bool = false,
    answersDelays: Bool = false
  ) throws -> Peer {
    let peer = try connect()
    peer.send(
      .attach(
        Attachment(
          terms: terms, answersChallenges: answersChallenges, answersFromStorage: answersFromStorage, answersDelays: answersDelays,
          wasLaunched: false, process: process)))
    return peer
  }

  /// Attaches an app that has missed nothing.
  func app(_ identifier: String = "session", answersChallenges: Bool = false, answersDelays: Bool = false) async throws -> Peer {
    let peer = try attach(terms(identifier), answersChallenges: answersChallenges, answersDelays: answersDelays)
    try await peer.caughtUp()
    return peer
  }
}

extension ClockReading {
  /// The system's clocks, so many seconds later.
  static func system(later seconds: Double) -> ClockReading {
    var reading = ClockReading.system
    reading.wall += seconds
    reading.sinceBoot += seconds
    return reading
  }
}

/// Why a test can't go on.
struct TestFailure: Error, CustomStringConvertible {
  let text: String
  var description: String { text }
}
