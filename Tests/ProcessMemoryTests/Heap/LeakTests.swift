import Foundation
import Testing

@testable import ProcessMemory

/// Programs run under the library. One after the other: a run takes the process's signals over.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LeakTests {
  static let needsC = "needs cc and the product urlload-leaks, without sanitizers and emulators"
  static let needsSwift = "needs swiftc and the product urlload-leaks, without sanitizers and emulators"

  @Test(.enabled(if: LeakPrograms.shared.hasC, "\(needsC)")) func endingsAndStatusesAreHandedOn() throws {
    #expect(try LeakRun(LeakPrograms.shared.c, "elsewhere").ending == .exit(5))
    #expect(try LeakRun(LeakPrograms.shared.c, "some").ending == .exit(3))
    let quick = try LeakRun(LeakPrograms.shared.c, "quick")
    #expect(quick.ending == .exit(4) && quick.reports.first?.exitStatus == 4)
    let killed = try LeakRun(LeakPrograms.shared.c, "killed")
    #expect(killed.ending == .signal(SIGABRT) && killed.reports.isEmpty)
  }

  @Test(.enabled(if: LeakPrograms.shared.hasC, "\(needsC)")) func childrenAreExaminedOnlyIfAsked() throws {
    #expect(try LeakRun(LeakPrograms.shared.c, "fork").reports.count == 1)
    let both = try LeakRun(LeakPrograms.shared.c, "fork") { $0.includesChildren = true }
    #expect(both.reports.map(\.leakedBlocks).sorted() == [0, 1])
  }

  @Test(.enabled(if: LeakPrograms.shared.hasC, "\(needsC)")) func stacksTellWhoAllocated() throws {
    let run = try LeakRun(LeakPrograms.shared.c, "block") { $0.recordsStacks = true }
    let places = try #require(run.reports.first?.groups.first?.tree.places)
    #expect(places.prefix(2) == ["leak_block (c-leaks)", "main (c-leaks)"])
    #expect(try LeakRun(LeakPrograms.shared.c, "block").reports.first?.groups.first?.tree.places == ["leak_block (c-leaks)"])
  }

  @Test(.enabled(if: LeakPrograms.shared.hasSwift, "\(needsSwift)"))
  func weakAndUnownedReferencesAreNoCycle() throws {
    let run = try LeakRun(LeakPrograms.shared.swift, "weak")
    #expect(run.reports.first?.groups.first?.cycle.isEmpty == true)
    #expect(run.dot.contains("[label=\"parent\", style=dashed]") && run.dot.contains("[label=\"sibling\", style=dashed]"))
    let cycle = try LeakRun(LeakPrograms.shared.swift, "delegate")
    #expect(cycle.dot.contains("[label=\"delegate\", color=red]"))
  }

  @Test(.enabled(if: LeakPrograms.shared.hasSwift, "\(needsSwift)"))
  func holdersOfLivingObjectsAreTold() throws {
    let run = try LeakRun(LeakPrograms.shared.swift, "global", references: .type("Controller"))
    #expect(run.paths.count == 1)
    let text = run.paths.first?.text ?? ""
    #expect(text.hasPrefix("global ") && text.contains("Leaks.kept"))
    #expect(text.hasSuffix("→ _ContiguousArrayStorage<AnyObject> → [0]: Leaks.Session → delegate: Leaks.Controller"))
  }

  @Test(.enabled(if: LeakPrograms.shared.hasC, "\(needsC)")) func programsThatCannotBeExaminedAreRefused() throws {
    #expect(throws: RecordedProgram.Failure.notFound) { try RecordedProgram("no-such-command", search: "/usr/bin:/bin") }
    #expect(throws: RecordedProgram.Failure.notFound) { try RecordedProgram("", search: "/bin") }
    #expect(throws: RecordedProgram.Failure.notExecutable) { try RecordedProgram("/etc/passwd", search: "") }
    #expect(throws: RecordedProgram.Failure.notExecutable) { try RecordedProgram("/", search: "") }
    if let program = LeakPrograms.shared.staticC {
      #expect(throws: RecordedProgram.Failure.isStatic) { try RecordedProgram(program, search: "") }
    }
    let program = try #require(LeakPrograms.shared.c)
    #expect(try RecordedProgram(program, search: "").path == program)
    let folder = URL(filePath: program).deletingLastPathComponent().path
    #expect(try RecordedProgram("c-leaks", search: "/none:\(folder)").path == "\(folder)/c-leaks")
    // Only root can make a file that runs as another user.
    guard getuid() == 0 else { return }
    let other = folder + "/other-user"
    try FileManager.default.copyItem(atPath: program, toPath: other)
    #expect(chown(other, 65534, 65534) == 0 && chmod(other, 0o4755) == 0)
    #expect(throws: RecordedProgram.Failure.changesIdentity) { try RecordedProgram(other, search: "") }
  }
}
