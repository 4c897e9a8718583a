import Foundation
import URLLoadingSystem

/// The results of one load, for `-w` and `--metrics=json`.
struct LoadReport: Sendable {
  let target: LoadTarget
  var request: URLRequest?
  var failure: ToolFailure?
  /// Whether the body was dropped because of the response's status (`--fail`).
  var dropsBody = false
  private(set) var metrics: URLSessionTaskMetrics?
  private(set) var response: URLResponse?
  private(set) var filename: String?
  /// Set if the body was loaded in several ranges.
  private(set) var segments: SegmentOutcome?
  /// How many times the load was tried again (`--retry`).
  private(set) var retries = 0
  /// Set if a file was copied (`-T` to a file: URL), for which there is no task: bytes written, and seconds.
  private(set) var copied: (count: Int64, seconds: Double)?

  init(_ target: LoadTarget) { self.target = target }

  mutating func take(_ outcome: (metrics: URLSessionTaskMetrics, response: URLResponse?)?, retries: Int = 0, savedAs name: String?) {
    (metrics, response, segments) = (outcome?.metrics, outcome?.response, nil)
    (self.retries, filename) = (retries, name)
  }

  mutating func take(_ outcome: SegmentOutcome, savedAs name: String?) {
    take(outcome.last, savedAs: name)
    segments = outcome
  }

  mutating func take(copied count: Int64, seconds: Double) { copied = (count, seconds) }

  /// Writes what `-w` and `--metrics=json` ask for.
  /// - Parameter format: The format of `-w`; nil for none.
  /// - Returns: The failure if standard output can't be written; nil after success.
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
