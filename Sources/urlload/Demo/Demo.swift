#if TestKit
  import ArgumentParser
  import Foundation
  import URLLoadingSystem
  import URLLoadingTestKit

  /// `urlload demo`: shows what the loading system does, against servers of its own on the loopback interface.
  struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "urlload demo",
      abstract: "Show what the URL Loading System does, against a server of its own.",
      discussion: "Needs no network. Takes a few seconds; fails if any step does.")

    /// Seconds after which the demonstration gives up, whatever hangs.
    private static let limit = 1800.0

    @Flag(help: "Only start the server, print its address, and serve until standard input ends.")
    var serve = false

    func run() async throws {
      if serve { return try await Demo.serve() }
      let recording = DemoRecording()
      let script = DemoScript()
      DispatchQueue.global().asyncAfter(deadline: .now() + Demo.limit) {
        script.say("\nThe demonstration took longer than \(Int(Demo.limit)) seconds and was ended.")
        _exit(ExitStatus.timedOut.rawValue)
      }
      let isGood = try await script.play()
      recording.write(script.say)
      guard isGood else { throw ExitCode.failure }
    }

    /// The demonstration's routes for other programs: what the fixture packages are run against.
    private static func serve() async throws {
      var options = TestServer.Options()
      options.routes = .standard
      let server = try await TestServer.start(options)
      FileHandle.standardOutput.write(Data((server.url("").absoluteString + "\n").utf8))
      await withCheckedContinuation { done in
        DispatchQueue(label: "urlload.stdin").async {
          while readLine() != nil {}
          done.resume()
        }
      }
      await server.shutdown()
    }
  }
#else
  import ArgumentParser

  /// `urlload demo` without the servers that it needs.
  struct DemoAbsence: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "urlload demo", shouldDisplay: false)

    func run() throws {
      throw ValidationError(
        "this urlload was built without the package trait TestKit, whose servers the demonstration needs: run \"make demo\", or "
          + "\"swift run --traits TestKit urlload demo\".")
    }
  }
#endif
