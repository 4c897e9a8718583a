import Foundation
import URLLoadingSystem

/// Loads a URL and reports how far it has come: for places without key-value observing.
public func loadReportingProgress(_ url: URL, report: @escaping @Sendable (Double) -> Void) async throws -> Int {
  let (bytes, response) = try await URLSession.shared.bytes(from: url)
  let task = bytes.task
  var count = 0
  for try await _ in bytes {
    count += 1
    if count.isMultiple(of: 16_384) { report(task.progress.fractionCompleted) }
  }
  report(Double(count) / Double(max(1, response.expectedContentLength)))
  return count
}
