#if TestKit
  import Foundation
  import URLLoadingSystem
  import URLLoadingTestKit

  extension DemoEnvironment {
    func background() async throws -> [String] {
      let stage = try BackgroundStage()
      do {
        let lines = try await background(stage)
        await stage.close()
        return lines
      } catch {
        await stage.close()
        throw error
      }
    }

    private func background(_ stage: BackgroundStage) async throws -> [String] {
      let (size, half, gate) = (1_000_000, 500_000, Gate())
      let fault = Fault.stallAfter(bodyBytes: half, gate: gate)
      plain.route("/background.bin", reply: Reply(headers: ["ETag": "\"1\""], body: .pattern(count: size), faults: [fault]))
      let app = try stage.startApp(plain.url("/background.bin"))
      let loaded = try await stage.report("loaded")
      try await gate.reached()
      let first = await app.kill()
      gate.open()
      let woken = try await stage.report("woken")
      let taken = try await stage.report("taken")
      let file = stage.folder.appending(path: BackgroundStage.file, directoryHint: .notDirectory)
      try demand(try Data(contentsOf: file) == DemoEnvironment.pattern(size), "the file isn't what the server has")
      let requests = plain.requests.count { $0.path == "/background.bin" }
      return [
        "the app, process \(first), was told of \(loaded) of \(size) bytes, and was killed (SIGKILL)",
        "urlsessiond loaded the rest (requests in all: \(requests)) and started the app for the session \(woken)",
        "the new app took the file: \(taken) bytes, each as the server has it",
      ]
    }
  }
#endif
