import ArgumentParser
import Foundation
import URLLoadingSystem

/// `urlload demo`: shows what the loading system does, against servers of its own on the loopback interface.
struct Demo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "urlload demo",
    abstract: "Show what the URL Loading System does, against a server of its own.",
    discussion: "Needs no network. Takes a few seconds; fails if any step does.")

  /// Seconds after which the demonstration gives up, whatever hangs.
  private static let limit = 10.0

  func run() async throws {
    let script = DemoScript()
    DispatchQueue.global().asyncAfter(deadline: .now() + Demo.limit) {
      script.say("\nThe demonstration took longer than \(Int(Demo.limit)) seconds and was ended.")
      _exit(ExitStatus.timedOut.rawValue)
    }
    guard try await script.play() else { throw ExitCode.failure }
  }
}
