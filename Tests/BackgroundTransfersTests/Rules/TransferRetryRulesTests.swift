import Foundation
import Testing

@testable import BackgroundTransfers

@Suite struct TransferRetryRulesTests {
  private func decide(
    _ code: Int, domain: String = "NSURLErrorDomain", attempts: Int = 0, isHTTPAnswer: Bool = false, random: Double = 1
  ) -> RetryDecision {
    let error = ErrorValue(domain: domain, code: code, description: "")
    return TransferRetryRules.decide(error, attempts: attempts, isHTTPAnswer: isHTTPAnswer, random: random)
  }

  @Test(arguments: [-1001, -1003, -1004, -1005, -1006, -1009, -1018, -1019, -1020])
  func failuresOfTheNetworkAreRetried(_ code: Int) {
    #expect(decide(code) == .retries(after: 1))
    #expect(decide(code, isHTTPAnswer: true) == .fails)
  }

  @Test(arguments: [
    -999, -1000, -1002, -1007, -1010, -1011, -1012, -1013, -1015, -1022, -1100, -1101, -1102, -1103, -1200, -1201, -1202, -1203, -1204,
    -1205, -1206, -3000, -3001, -3002, -3003, 0, 42,
  ])
  func otherFailuresAreTold(_ code: Int) { #expect(decide(code) == .fails) }

  @Test func handshakeThatIsCutOffIsRetried() {
    var error = ErrorValue(domain: "NSURLErrorDomain", code: -1200, description: "")
    error.tlsCode = -9806
    #expect(TransferRetryRules.decide(error, attempts: 0, isHTTPAnswer: false, random: 1) == .retries(after: 1))
    error.tlsCode = -9824
    #expect(TransferRetryRules.decide(error, attempts: 0, isHTTPAnswer: false, random: 1) == .fails)
  }

  @Test func errorsOfTheSystemAreToldApart() {
    #expect(decide(Int(ECONNRESET), domain: "NSPOSIXErrorDomain") == .retries(after: 1))
    #expect(decide(Int(ENOSPC), domain: "NSPOSIXErrorDomain") == .fails)
    #expect(decide(.max, domain: "NSPOSIXErrorDomain") == .fails)
    #expect(decide(-1001, domain: "NSCocoaErrorDomain") == .fails)
  }

  @Test(arguments: [(-1, 1), (0, 1), (1, 2), (2, 4), (8, 256), (9, 300), (1000, 300), (Int.max, 300)] as [(Int, Double)])
  func delaysDoubleUpToFiveMinutes(_ attempts: Int, _ delay: Double) {
    #expect(decide(-1005, attempts: attempts) == .retries(after: delay))
    #expect(decide(-1005, attempts: attempts, random: 0) == .retries(after: delay / 2))
    #expect(decide(-1005, attempts: attempts, random: 0.5) == .retries(after: delay * 0.75))
  }
}
