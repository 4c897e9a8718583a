import Testing

@testable import ProcessMemory

@Suite struct ProcessThreadTests {
  @Test func theStackPointerIsTheWordBeforeTheLast() {
    let waiting = "0 0x3 0x7f83a4c56000 0x20000 0x7f83a4ce9b60 0xffffffff 0x0 0x7ffdd7277c78 0x7f83a4dd22ad\n"
    #expect(ProcessThread.stackPointer(inSyscall: waiting) == 0x7ffd_d727_7c78)
    #expect(ProcessThread.stackPointer(inSyscall: "-1 0x7ffdd7277c78 0x7f83a4dd22ad\n") == 0x7ffd_d727_7c78)
  }

  @Test(arguments: ["running\n", "", "-1 0x0 0x0\n", "-1 7ffd 0x1", "1 0x1 0x2 0x3", "-1 0xzz 0x1", "-1 0x11112222333344445 0x1"])
  func withoutOneThereIsNone(_ text: String) { #expect(ProcessThread.stackPointer(inSyscall: text) == nil) }

  @Test func aNameMayHoldSpacesAndParentheses() throws {
    let state = try #require(ProcessState(stat: "4711 (a) S (b) Z 1 4711 4711 0 -1 4194560 1 2 3"))
    #expect(state.name == "a) S (b" && state.state == "Z" && state.hasEnded && !state.isKernelThread)
    let kernel = try #require(ProcessState(stat: "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0"))
    #expect(kernel.isKernelThread && !kernel.hasEnded)
  }

  @Test(arguments: ["", "1 (a", "1 a) S", ")(", "1 (a) S 1 2", "1 (a)"])
  func aCutStateIsNone(_ text: String) { #expect(ProcessState(stat: text) == nil) }

  @Test(
    arguments: [
      (0x0000, .exit(0)), (0x0300, .exit(3)), (0xFF00, .exit(255)), (0x000F, .signal(15)), (0x008B, .signal(11)),
    ] as [(Int32, TracedCommand.Ending)])
  func aStatusOfWaitTellsTheEnding(_ status: Int32, _ ending: TracedCommand.Ending) {
    #expect(WaitStatus(status).ending == ending && !WaitStatus(status).isStopped)
  }

  @Test(
    arguments: [
      (0x057F, .signal(5)), (0x137F, .signal(19)), (0x0006_057F, .exit), (0x0080_137F, .group), (0x0080_057F, .other),
      (0x0004_057F, .other),
    ] as [(Int32, WaitStatus.Stop)])
  func aStatusOfWaitTellsTheStop(_ status: Int32, _ stop: WaitStatus.Stop) {
    #expect(WaitStatus(status).stop == stop && WaitStatus(status).ending == nil)
  }

  @Test func aSignalIsReportedAsShellsDo() {
    #expect(TracedCommand.Ending.exit(7).shellStatus == 7)
    #expect(TracedCommand.Ending.signal(15).shellStatus == 143)
  }
}
