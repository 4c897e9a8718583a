import Foundation
import Testing

@testable import BackgroundDaemon

@Suite(.timeLimit(.minutes(10))) struct ProcessLimitsTests {
  private func raised(_ soft: rlim_t, _ hard: rlim_t, to wanted: rlim_t) -> [rlim_t]? {
    ProcessLimits.raised(rlimit(rlim_cur: soft, rlim_max: hard), to: wanted).map { [$0.rlim_cur, $0.rlim_max] }
  }

  @Test func softLimitIsRaisedAsFarAsTheHardOneAllows() {
    #expect(raised(512, .max, to: .max) == [.max, .max])
    #expect(raised(512, 4096, to: .max) == [4096, 4096])
    #expect(raised(512, 4096, to: 1024) == [1024, 4096])
  }

  @Test func softLimitIsNeverLowered() {
    #expect(raised(4096, 4096, to: .max) == nil)
    #expect(raised(2048, 4096, to: 1024) == nil)
    #expect(raised(.max, .max, to: .max) == nil)
  }
}
