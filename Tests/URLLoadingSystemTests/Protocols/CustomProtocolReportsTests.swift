import Foundation
import LoadingModel
import Testing

@testable import URLLoadingSystem

/// The order in which a load takes what a protocol class has reported.
@Suite struct CustomProtocolReportsTests {
  private static func data(_ byte: UInt8, _ count: Int = 1) -> CustomProtocolReports.Report { .data(Data(repeating: byte, count: count)) }

  private static func name(_ report: CustomProtocolReports.Report?) -> String {
    switch report {
    case .data(let data): "data " + data.map { "\($0)" }.joined(separator: ",")
    case .outcome: "outcome"
    case .finished: "finished"
    case .failed: "failed"
    case nil: "nothing"
    }
  }

  private func reports(_ all: CustomProtocolReports.Report...) -> CustomProtocolReports {
    all.reduce(into: CustomProtocolReports()) { $0.append($1) }
  }

  private func taken(_ reports: CustomProtocolReports, _ behindData: Bool...) -> [String] {
    var reports = reports
    return behindData.map { Self.name(reports.take(behindData: $0)) }
  }

  @Test func dataBeforeTheResponseIsTakenBehindIt() {
    let reports = reports(Self.data(1), Self.data(2), .outcome(.noResponse), Self.data(3), .finished)
    #expect(taken(reports, true, false, false, false, false, false) == ["outcome", "data 1", "data 2", "data 3", "finished", "finished"])
  }

  @Test func endStays() {
    #expect(taken(reports(Self.data(1), .failed(.cancelled())), true, true, false, false) == ["failed", "failed", "data 1", "failed"])
  }

  @Test func nothingIsThereBeforeAnythingIsReported() {
    var reports = CustomProtocolReports()
    #expect(!reports.has(behindData: true) && !reports.has(behindData: false))
    reports.append(Self.data(1))
    #expect(!reports.has(behindData: true) && reports.has(behindData: false))
    #expect(taken(reports, true, false, false) == ["nothing", "data 1", "nothing"])
  }

  @Test(arguments: [true, false]) func manySmallPiecesAreJoined(isEarly: Bool) {
    var reports = CustomProtocolReports()
    if !isEarly { reports.append(.outcome(.noResponse)) }
    for piece in 0..<50_000 { reports.append(Self.data(UInt8(truncatingIfNeeded: piece), 3)) }
    if isEarly { reports.append(.outcome(.noResponse)) }
    reports.append(.finished)
    _ = reports.take(behindData: true)
    var (whole, count) = (Data(), 0)
    while case .data(let data)? = reports.take(behindData: false) {
      whole += data
      count += 1
    }
    #expect(whole == Data((0..<50_000).flatMap { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: 3) }))
    #expect(count < 100)
  }
}
