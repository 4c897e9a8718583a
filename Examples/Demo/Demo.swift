#if TestKit
  import ArgumentParser
  import Foundation
  import URLLoadingSystem
  import URLLoadingTestKit

  /// The program, and the app of its background step: by the first argument.
  @main
  enum EntryPoint {
    static func main() async {
      let arguments = Array(CommandLine.arguments.dropFirst())
      if arguments.first == DemoBackgroundApp.word {
        await DemoBackgroundApp.main(Array(arguments.dropFirst()))
      } else {
        await Demo.main(arguments)
      }
    }
  }

  /// Shows what the loading system does, against servers of its own on the loopback interface.
  ///
  /// `make demo` builds it, and what it needs beside itself: urlload and urlsessiond.
  struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "Demo",
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
        _exit(EXIT_FAILURE)
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
        DispatchQueue(label: "Demo.stdin").async {
          while readLine() != nil {}
          done.resume()
        }
      }
      await server.shutdown()
    }
  }
#else
  /// Without the servers that the demonstration needs.
  @main enum Demo {
    static func main() {
      print("This program needs the package trait TestKit, whose servers it shows loads from: run \"make demo\".")
    }
  }
#endif
