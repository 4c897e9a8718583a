import Foundation
import Testing

@testable import ProcessMemory

@Suite(.timeLimit(.minutes(10))) struct TracedCommandTests {
  /// Runs a command on one thread, to which its tracing belongs.
  private func run(_ words: String...) throws -> (ending: TracedCommand.Ending, maps: [MemoryMap]) {
    let command = try TracedCommand.start(words)
    var maps: [MemoryMap] = []
    let ending = command.waitForEnd { if let map = try? MemoryMap.read(command.process) { maps.append(map) } }
    return (ending, maps)
  }

  /// Whether this system permits tracing.
  static let isPermitted: Bool = {
    guard let command = try? TracedCommand.start(["true"]) else { return false }
    return command.waitForEnd {} == .exit(0)
  }()

  @Test(.enabled(if: isPermitted, "tracing isn't permitted here"))
  func atTheExitTheMemoryIsStillThere() throws {
    let (ending, maps) = try run("sh", "-c", "exit 3")
    #expect(ending == .exit(3) && maps.count == 1)
    let map = try #require(maps.first)
    #expect(map.name == "sh" && map.total.usage.resident > 0)
    #expect(map.regions.contains { $0.kind == .text } && map.regions.contains { $0.kind == .stack })
  }

  @Test(.enabled(if: isPermitted, "tracing isn't permitted here"), arguments: [("TERM", 15), ("SEGV", 11)] as [(String, Int32)])
  func aSignalReachesTheCommandAndEndsIt(_ name: String, _ number: Int32) throws {
    let (ending, maps) = try run("sh", "-c", "ulimit -c 0; kill -\(name) $$")
    #expect(ending == .signal(number) && maps.count == 1)
  }

  @Test(.enabled(if: isPermitted, "tracing isn't permitted here"))
  func aSignalThatTheCommandCatchesDoesNotEndIt() throws {
    #expect(try run("sh", "-c", "trap 'exit 5' USR1; kill -USR1 $$; exit 6").ending == .exit(5))
  }

  @Test(.enabled(if: isPermitted, "tracing isn't permitted here"))
  func aCommandThatStopsGoesOnWhenItIsContinued() throws {
    // The child waits until the kernel says that its parent is stopped: T.
    let script = """
      parent=$$
      ( while ! grep -q '^State:.*[Tt]' /proc/$parent/status; do :; done; kill -CONT $parent ) &
      kill -STOP $$
      wait
      exit 4
      """
    #expect(try run("sh", "-c", script).ending == .exit(4))
  }

  @Test(.enabled(if: isPermitted && CompiledProgram.isPossible, "tracing isn't permitted here, or there is no C compiler"))
  func whatTheCommandHasAllocatedIsInTheMapOfItsExit() throws {
    let program = try CompiledProgram(
      """
      #include <stdlib.h>
      #include <string.h>
      char *volatile block;
      int main(void) { block = malloc(20 << 20); memset(block, 1, 20 << 20); return block[5] == 1 ? 0 : 1; }
      """)
    let (ending, maps) = try run(program.executable.path)
    #expect(ending == .exit(0))
    let malloc = try #require(maps.first?.sums.first { $0.kind == .malloc })
    #expect(malloc.totals.usage.resident >= 20 << 20 && malloc.totals.usage.resident < 24 << 20)
  }

  @Test func aCommandThatIsNotThereIsNotRun() {
    #expect(throws: CommandFailure.notFound("no-such-command")) { try TracedCommand.start(["no-such-command"]) }
    #expect(throws: CommandFailure.notFound("/no/such")) { try TracedCommand.start(["/no/such"]) }
    #expect(throws: CommandFailure.notExecutable("/etc/passwd")) { try TracedCommand.start(["/etc/passwd"]) }
    #expect(throws: CommandFailure.notExecutable("/tmp/")) { try TracedCommand.start(["/tmp/"]) }
    #expect(throws: CommandFailure.notFound("")) { try TracedCommand.start([]) }
    #expect(throws: CommandFailure.notFound("")) { try TracedCommand.start([""]) }
  }
}
