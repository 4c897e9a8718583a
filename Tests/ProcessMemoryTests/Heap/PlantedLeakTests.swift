import Foundation
import Testing

@testable import ProcessMemory

/// A leak that a program makes, and what has to be said of it.
struct PlantedLeak: Sendable, CustomTestStringConvertible {
  let way: String
  /// How many leaks, and how many blocks in all.
  let leaks: Int
  let blocks: ClosedRange<Int>
  /// A cycle as it is told; nil where none is expected.
  var cycle: String?
  /// Names of blocks that have leaked.
  var names: [String] = []

  var testDescription: String { way }

  static let swift = [
    PlantedLeak(way: "delegate", leaks: 1, blocks: 2...2, cycle: "Leaks.Session → delegate: Leaks.Controller → session"),
    PlantedLeak(way: "closure", leaks: 1, blocks: 1...2, names: ["Leaks.Owner"]),
    PlantedLeak(way: "closures", leaks: 1, blocks: 5...5, names: ["Leaks.Owner", "_ContiguousArrayStorage<() -> ()>"]),
    PlantedLeak(
      way: "existential", leaks: 1, blocks: 3...3,
      cycle: "Leaks.Receiver → station: Leaks.Station → listeners: _ContiguousArrayStorage<any Leaks.Listener> → [0]"),
    PlantedLeak(
      way: "indirect-enum", leaks: 1, blocks: 2...2, names: ["Leaks.Link", "box or closure context ((Leaks.Link, Leaks.Chain))"]),
    PlantedLeak(way: "enum", leaks: 1, blocks: 2...2, cycle: "Leaks.EnumNode → reference: Leaks.EnumNode → reference"),
    PlantedLeak(
      way: "generic", leaks: 1, blocks: 3...3,
      cycle: "Leaks.Box<[String: Int]> → other: Leaks.Box<[String: Int]> → other", names: ["_DictionaryStorage<String, Int>"]),
    PlantedLeak(way: "struct", leaks: 1, blocks: 1...1, cycle: "Leaks.Outer → inner"),
    PlantedLeak(way: "subclass", leaks: 1, blocks: 2...2, cycle: "Leaks.Dog → bone: Leaks.Bone → dog"),
    PlantedLeak(way: "weak", leaks: 1, blocks: 3...3, names: ["Leaks.Parent", "Leaks.Child", "side table of weak references"]),
    PlantedLeak(way: "actor", leaks: 1, blocks: 1...2, names: ["Leaks.Keeper"]),
    PlantedLeak(way: "timer", leaks: 1, blocks: 4...8, names: ["Leaks.Ticker", "Dispatch.DispatchSource"]),
    PlantedLeak(way: "observer", leaks: 1, blocks: 4...12, names: ["Leaks.Observer"]),
    PlantedLeak(way: "continuation", leaks: 1, blocks: 3...12, names: ["Task", "Leaks.Payload"]),
    PlantedLeak(way: "unmanaged", leaks: 1, blocks: 2...2, names: ["Leaks.Payload", "_ContiguousArrayStorage<UInt8>"]),
    PlantedLeak(way: "malloc", leaks: 1, blocks: 1...1, names: ["malloc block"]),
    PlantedLeak(way: "error", leaks: 1, blocks: 2...2, cycle: "Leaks.FailureOwner → failure: error Leaks.Failure → Leaks.FailureOwner"),
    PlantedLeak(
      way: "dictionary", leaks: 1, blocks: 3...3,
      cycle: "Leaks.Entry → registry: Leaks.Registry → entries: _DictionaryStorage<String, Leaks.Entry> → Leaks.Entry"),
    PlantedLeak(way: "lazy", leaks: 1, blocks: 1...2, names: ["Leaks.LazyOwner"]),
    PlantedLeak(way: "thread", leaks: 1, blocks: 2...2, cycle: "Leaks.Session → delegate: Leaks.Controller → session"),
    PlantedLeak(way: "box", leaks: 1, blocks: 4...6, names: ["Leaks.Owner", "Leaks.Payload"]),
    PlantedLeak(way: "many", leaks: 100, blocks: 200...200, cycle: "Leaks.Session → delegate: Leaks.Controller → session"),
  ]

  static let c = [
    PlantedLeak(way: "block", leaks: 1, blocks: 1...1), PlantedLeak(way: "cycle", leaks: 1, blocks: 3...3),
    PlantedLeak(way: "large", leaks: 1, blocks: 1...1), PlantedLeak(way: "aligned", leaks: 3, blocks: 3...3),
    PlantedLeak(way: "enlarged", leaks: 1, blocks: 1...1), PlantedLeak(way: "thread", leaks: 4, blocks: 4...4),
    PlantedLeak(way: "exec", leaks: 1, blocks: 1...1), PlantedLeak(way: "quick", leaks: 1, blocks: 1...1),
  ]
}

extension LeakTests {
  private func check(_ planted: PlantedLeak, in program: String?) throws {
    var run = try LeakRun(program, planted.way)
    // What the last to use a block has left in its thread's registers or stack hides it, until the thread does something else.
    for _ in 0..<2 where run.reports.last?.leakedBlocks == 0 { run = try LeakRun(program, planted.way) }
    let report = try #require(run.reports.last)
    #expect(run.reports.count == 1 && run.failures.isEmpty)
    #expect(report.groups.reduce(0) { $0 + $1.count } == planted.leaks, "\(run.text)")
    #expect(planted.blocks.contains(report.leakedBlocks), "\(run.text)")
    if let cycle = planted.cycle { #expect(run.text.contains("   \(cycle)\n"), "\(run.text)") }
    for name in planted.names { #expect(run.names.contains(name), "\(name) in \(run.text)") }
  }

  @Test(
    .enabled(if: LeakPrograms.shared.hasSwift, "\(needsSwift)"),
    arguments: PlantedLeak.swift)
  func plantedLeakIsFoundAndNamed(_ planted: PlantedLeak) throws { try check(planted, in: LeakPrograms.shared.swift) }

  /// The runtime is inside, and there are no symbols.
  @Test(.enabled(if: LeakPrograms.shared.hasOptimized, "needs swiftc and the static runtime"), arguments: PlantedLeak.swift)
  func plantedLeakIsFoundInStrippedStaticProgram(_ planted: PlantedLeak) throws {
    try check(planted, in: LeakPrograms.shared.optimized)
  }

  @Test(
    .enabled(if: LeakPrograms.shared.hasC, "\(needsC)"),
    arguments: PlantedLeak.c)
  func plantedLeakOfCIsFound(_ planted: PlantedLeak) throws { try check(planted, in: LeakPrograms.shared.c) }

  @Test(
    .enabled(if: LeakPrograms.shared.hasSwift, "\(needsSwift)"),
    arguments: ["none", "global", "foundation", "threads", "dispatch", "tasks", "weak-clean", "waiting", "busy"], [false, true])
  func cleanProgramHasNoLeaks(_ way: String, isOptimized: Bool) throws {
    guard let program = isOptimized ? LeakPrograms.shared.optimized : LeakPrograms.shared.swift else { return }
    let run = try LeakRun(program, way)
    #expect(run.reports.count == 1)
    #expect(run.reports.allSatisfy { !$0.hasLeaks && $0.usedBlocks > 0 }, "\(run.text)")
  }

  @Test(
    .enabled(if: LeakPrograms.shared.hasC, "\(needsC)"),
    arguments: ["kept", "used", "threads", "waiting", "atexit", "fork", "elsewhere", "none"])
  func cleanProgramOfCHasNoLeaks(_ way: String) throws {
    let run = try LeakRun(LeakPrograms.shared.c, way)
    #expect(run.reports.count == 1)
    #expect(run.reports.allSatisfy { !$0.hasLeaks }, "\(run.text)")
  }
}
