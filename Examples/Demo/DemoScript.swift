#if TestKit
  import Foundation
  import URLLoadingSystem

  /// The demonstration: its steps in order, and how they are shown.
  struct DemoScript: Sendable {
    /// Seconds after which a step counts as hanging: each takes well under one on a quiet machine, and much longer on a busy one.
    private static let stepLimit = 300.0
    private static let width = 80

    private let style = DemoStyle()

    private static let steps: [DemoStep] = [
      DemoStep("async: data(for:)", DemoEnvironment.wholeBody),
      DemoStep("async: a POST, and its JSON answer decoded", DemoEnvironment.json),
      DemoStep("async: bytes(from:).lines, while they arrive", DemoEnvironment.lines),
      DemoStep("delegate: 8 MB, piece by piece", DemoEnvironment.streaming),
      DemoStep("delegate: a chain of redirects", DemoEnvironment.redirects),
      DemoStep("gzip, decoded on the way", DemoEnvironment.compression),
      DemoStep("cancellation", DemoEnvironment.cancellation),
      DemoStep("timeout: what the error says", DemoEnvironment.timeout),
      DemoStep("suspend and resume", DemoEnvironment.suspension),
      DemoStep("URLProtocol: an app's own scheme", DemoEnvironment.customProtocol),
      DemoStep("data: and file: URLs", DemoEnvironment.localSchemes),
      DemoStep("TLS", DemoEnvironment.tls),
      DemoStep("TLS: a certificate of an unknown authority", DemoEnvironment.untrusted),
      DemoStep("TLS: a pinned certificate", DemoEnvironment.pinning),
      DemoStep("App Transport Security: http to a public host", DemoEnvironment.transportSecurity),
      DemoStep("a login, asked for once", DemoEnvironment.login),
      DemoStep("a cookie, set and sent", DemoEnvironment.cookies),
      DemoStep("a cache hit", DemoEnvironment.cacheHit),
      DemoStep("a download, cut and resumed", DemoEnvironment.resumedDownload),
      DemoStep("the tool: one file in four ranges at once", DemoEnvironment.segments),
      DemoStep("an upload from a file", DemoEnvironment.upload),
      DemoStep("a resumable upload, cut and resumed", DemoEnvironment.resumedUpload),
      DemoStep("a background download: the app is killed half-way", DemoEnvironment.background),
      DemoStep("FTP", DemoEnvironment.ftp),
      DemoStep("metrics: where the time went", DemoEnvironment.metrics),
    ]

    /// Runs all steps.
    /// - Returns: Whether all succeeded.
    func play() async throws -> Bool {
      let begin = Date()
      let stage = try await DemoEnvironment()
      say(style.bold("The URL Loading System, against servers on this machine"))
      say(style.faint("\(stage.plain.url("/")) and \(stage.secure.url("/"))"))
      var failed = 0
      for (index, step) in DemoScript.steps.enumerated() {
        let start = Date()
        let outcome = await DemoScript.outcome(of: step, stage)
        show(step, index + 1, outcome, seconds: Date().timeIntervalSince(start))
        if case .failure = outcome { failed += 1 }
      }
      await stage.close()
      let count = DemoScript.steps.count
      let time = DemoText.duration(Date().timeIntervalSince(begin))
      let summary = failed == 0 ? style.green("All \(count) steps passed") : style.red("\(failed) of \(count) steps failed")
      say("\n\(summary) in \(time).")
      return failed == 0
    }

    func say(_ text: String) {
      try? FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
    }

    private static func outcome(of step: DemoStep, _ stage: DemoEnvironment) async -> Result<[String], any Error> {
      do {
        let lines = try await withThrowingTaskGroup(of: [String].self) { group in
          group.addTask { try await step.play(stage) }
          group.addTask {
            try await Task.sleep(for: .seconds(stepLimit))
            throw DemoFailure("not over within \(Int(stepLimit)) seconds")
          }
          defer { group.cancelAll() }
          return try await group.next() ?? []
        }
        return .success(lines)
      } catch {
        return .failure(error)
      }
    }

    private func show(_ step: DemoStep, _ number: Int, _ outcome: Result<[String], any Error>, seconds: Double) {
      let (mark, lines): (String, [String]) =
        switch outcome {
        case .success(let lines): (style.green("✓"), lines)
        case .failure(let error): (style.red("✗"), [DemoStep.text(error)])
        }
      let time = DemoText.right(DemoText.duration(seconds), 9)
      let title = step.title.padding(toLength: DemoScript.width - 5 - time.count, withPad: " ", startingAt: 0)
      say("\n\(mark) \(DemoText.right(String(number), 2)) \(style.bold(title))\(style.faint(time))")
      for part in lines.flatMap({ DemoText.wrapped($0, DemoScript.width - 5) }) { say("     \(part)") }
    }
  }
#endif
