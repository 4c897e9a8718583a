import ChildProcesses
import Foundation

/// Cases of consecutive seeds, or one that is told, run in this process: a child of the test's, so that a trap is a finding like any other and
/// the sockets are the cases' alone.
///
/// Writes lines into the file REPORT: `begin SEED`, `end SEED`, and `problem …`.
struct Batch: Sendable {
  let first: UInt64
  let count: Int
  /// One case in the place of those that are drawn.
  let told: Case?
  let report: URL

  private static let variables = ProcessInfo.processInfo.environment
  private static func number(_ name: String) -> Int? { variables["COMBINATIONS_\(name)"].flatMap { Int($0) } }

  /// What this process is to run; nil if it is no child.
  static let here: Batch? = {
    guard let report = variables["COMBINATIONS_REPORT"], let first = variables["COMBINATIONS_SEED"].flatMap({ UInt64($0) }) else {
      return nil
    }
    let told = variables["COMBINATIONS_CASE"].flatMap { Case($0) }
    return Batch(first: first, count: number("CASES") ?? 1, told: told, report: URL(filePath: report))
  }()

  /// Cases that run at a time.
  static let width = number("WIDTH") ?? 6
  /// Seconds after which what hasn't ended hangs.
  static let patience = number("PATIENCE") ?? (Sanitizer.isActive ? 300 : 60)
  /// Sockets that may be left behind. One of an attempt over QUIC that is given up at once stays at times: `scripts/tests/combinations` counts each,
  /// and here a leak of every case is one.
  private var spareSockets: Int { Batch.number("SOCKETS") ?? 2 + count / 50 }
  /// How many failing cases are made small.
  private static let shrunk = number("SHRUNK") ?? 2

  func run() async {
    let before = Descriptors.sockets
    let ends = await runAll()
    if !ends.contains(where: \.outcome.hangs) {
      let surplus = await Descriptors.surplus(over: before, seconds: Batch.patience)
      if surplus.count > spareSockets {
        let texts = surplus.map { text($0, ends) }.joined(separator: ", ")
        write("problem \(surplus.count) sockets are left behind by the seeds \(first)..<\(first &+ UInt64(count)): \(texts)")
      }
    }
    for end in ends.filter({ !$0.outcome.problems.isEmpty }).prefix(Batch.shrunk) { await shrink(end.seed, end.chosen) }
  }

  /// What is known of a socket that is left behind, and of the case whose server it leads to, or is of.
  private func text(_ descriptor: Int32, _ ends: [End]) -> String {
    let ports = [Descriptors.peer(of: descriptor), Descriptors.port(of: descriptor)].compactMap { $0.map(Int.init) }
    let cases = ends.filter { end in ports.contains { end.outcome.ports.contains($0) } }
    return Descriptors.text(descriptor) + cases.map { " (seed \($0.seed): \($0.chosen))" }.joined()
  }

  /// How a case has ended.
  private struct End: Sendable {
    let seed: UInt64
    let chosen: Case
    let outcome: Runner.Outcome
  }

  private func runAll() async -> [End] {
    await withTaskGroup(of: End.self) { group in
      var ends: [End] = []
      for index in 0..<count {
        if index >= Batch.width, let end = await group.next() { ends.append(end) }
        let seed = first &+ UInt64(index)
        let chosen = told ?? Case(seed: seed)
        group.addTask { End(seed: seed, chosen: chosen, outcome: await run(seed, chosen)) }
      }
      for await end in group { ends.append(end) }
      return ends
    }
  }

  private func run(_ seed: UInt64, _ chosen: Case) async -> Runner.Outcome {
    write("begin \(seed) \(chosen)")
    let outcome = await Runner(chosen: chosen, patience: Batch.patience).run()
    for problem in outcome.problems { write("problem seed \(seed) (\(chosen)): \(problem)") }
    write("end \(seed)")
    return outcome
  }

  private func shrink(_ seed: UInt64, _ chosen: Case) async {
    let shrink = Shrink(attempts: 3) { await !Runner(chosen: $0, patience: max(5, Batch.patience / 6)).run().problems.isEmpty }
    let smallest = await shrink.smallest(of: chosen)
    write("problem seed \(seed): the smallest combination that still fails: scripts/tests/combinations --case '\(smallest)'")
  }

  private func write(_ line: String) {
    let descriptor = open(report.path(percentEncoded: false), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(descriptor) }
    let bytes = Array((line.replacing("\n", with: " ") + "\n").utf8)
    // One write a line: lines of several cases don't mix.
    _ = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
  }
}
