import Foundation
import URLLoadingSystem

/// A response whose status is a failure, and what its body says about it where that is in a form for programs (RFC 9457).
struct FailedAnswer: Sendable {
  /// Bytes of a description that are read.
  private static let limit = 64 * 1024
  /// Characters of it that are told.
  private static let length = 1000

  /// Whether its body is the output's as well.
  let isWritten: Bool
  private let failure: ToolFailure
  private let response: URLResponse
  private var body = Data()

  init(_ response: URLResponse, _ failure: ToolFailure, isWritten: Bool) {
    (self.response, self.failure, self.isWritten) = (response, failure, isWritten)
  }

  /// Whether the body describes the failure.
  var isDescribed: Bool { response.mimeType?.lowercased() == "application/problem+json" }

  /// Takes a piece of the body; false if no more of it is needed.
  mutating func take(_ data: Data) -> Bool {
    body.append(data.prefix(FailedAnswer.limit - body.count))
    return body.count < FailedAnswer.limit
  }

  /// The failure in the server's words, if it has used any.
  var told: ToolFailure {
    guard let problem = URLSessionProblemDetails(response, body) else { return failure }
    let words = [problem.title, problem.detail].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ": ")
    guard !words.isEmpty, let http = response as? HTTPURLResponse else { return failure }
    return ToolFailure(
      failure.status, "\(FailedAnswer.text(http)): \(words.shortened(FailedAnswer.length))", failure.transience)
  }

  /// What the status says.
  static func text(_ response: HTTPURLResponse) -> String {
    "the server answered \(response.statusCode) (\(HTTPURLResponse.localizedString(forStatusCode: response.statusCode)))"
  }
}
