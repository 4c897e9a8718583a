import LoadingModel
import NIOEmbedded
import Testing
import URLLoadingTestKit

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10))) struct IdleSweepTests {
  private let loop = EmbeddedEventLoop()
  private let clock = ManualClock()

  private final class Sweeps: Sendable {
    private let deadlines = Mutex<[UInt64?]>([])
    var all: [UInt64?] { deadlines.withLock { $0 } }
    func add(_ deadline: UInt64?) { deadlines.withLock { $0.append(deadline) } }
  }

  private func plan(_ sweep: IdleSweep) -> Sweeps {
    let sweeps = Sweeps()
    sweep.plan(since: clock.now.nanoseconds) { sweeps.add($0) }
    return sweeps
  }

  @Test func connectionsAreLookedAtWhenTheOldestHasBeenIdleForLongEnough() {
    let sweep = IdleSweep(executor: LoopExecutor(loop), clock: clock)
    let since = clock.now.nanoseconds
    let sweeps = plan(sweep)
    #expect(sweep.isPlanned)
    clock.advance(by: IdleSweep.lifetime - 1)
    loop.run()
    #expect(sweeps.all.isEmpty)
    clock.advance(by: 1)
    loop.run()
    #expect(sweeps.all == [since])
    #expect(!sweep.isPlanned)
  }

  @Test func cancelledSweepIsNotMade() {
    let sweep = IdleSweep(executor: LoopExecutor(loop), clock: clock)
    let sweeps = plan(sweep)
    sweep.cancel()
    #expect(!sweep.isPlanned)
    clock.advance(by: 2 * IdleSweep.lifetime)
    loop.run()
    #expect(sweeps.all.isEmpty)
  }
}
