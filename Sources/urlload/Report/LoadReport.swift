import Foundation
import URLLoadingSystem

/// What came of one load, for `-w` and `--metrics=json`.
struct LoadReport: Sendable {
  let target: LoadTarget
  var request: URLRequest?
  var failure: ToolFailure?
  private(set) var metrics: URLSessionTaskMetrics?
  private(set) var response: URLResponse?
  private(set) var filename: String?
  /// Set where the body came in several ranges.
  private(set) var segments: SegmentOutcome?
  /// Set where a file was copied, for which there is no task: bytes that were written, and seconds.
  private(set) var copied: (count: Int64, seconds: Double)?

  init(_ target: LoadTarget) { self.target = target }

  mutating func take(_ outcome: (metrics: URLSessionTaskMetrics, response: URLResponse?)?, savedAs name: String?) {
    (metrics, response, segments) = (outcome?.metrics, outcome?.response, nil)
    filename = name
  }

  mutating func take(_ outcome: SegmentOutcome, savedAs name: String?) {
    take(outcome.last, savedAs: name)
    segments = outcome
  }

  mutating func take(copied count: Int64, seconds: Double) { copied = (count, seconds) }

  /// Writes what the options ask for.
  /// - Parameter format: That of `-w`.
  /// - Returns: Why it couldn't.
  func write(_ options: OutputOptions, _ format: WriteOut?) -> ToolFailure? {
    if options.metrics == .json { StandardError.line(JSONLine.text(MetricsRecord(metrics, url: Masking.url(target.url), failure))) }
    guard let format else { return nil }
    do throws(ToolFailure) {
      try format.write(values)
      return nil
    } catch {
      return error
    }
  }
}
