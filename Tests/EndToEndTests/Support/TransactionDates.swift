import Foundation
import URLLoadingSystem

extension URLSessionTaskTransactionMetrics {
  /// The dates that there are, by name, in the order in which they must be.
  var namedDates: [(name: String, date: Date)] {
    let all: [(String, Date?)] = [
      ("fetchStart", fetchStartDate), ("lookupStart", domainLookupStartDate), ("lookupEnd", domainLookupEndDate),
      ("connectStart", connectStartDate), ("secureStart", secureConnectionStartDate), ("secureEnd", secureConnectionEndDate),
      ("connectEnd", connectEndDate), ("requestStart", requestStartDate), ("requestEnd", requestEndDate),
      ("responseStart", responseStartDate), ("responseEnd", responseEndDate),
    ]
    return all.compactMap { entry in entry.1.map { (entry.0, $0) } }
  }

  var hasDatesInOrder: Bool {
    let dates = namedDates.map(\.date)
    return zip(dates, dates.dropFirst()).allSatisfy { $0 <= $1 }
  }
}
