import Foundation
import URLLoadingSystem

/// A response with a failure status, and the description of the problem in its body, if there is one (RFC 9457).
struct FailedAnswer: Sendable {
  /// Maximum number of bytes of the body that are read for the description.
  private static let limit = 64 * 1024
  /// Maximum number of characters of the description that are shown.
  private static let length = 1000

  /// Whether the body is also written to the output (`--fail-with-body`).
  let isWritten: Bool
  private let failure: ToolFailure
  private let response: URLResponse
  private var body = Data()

  init(_ response: URLResponse, _ failure: ToolFailure, isWritten: Bool) {
    (self.response, self.failure, self.isWritten) = (response, failure, isWritten)
  }

  /// Whether the body describes the problem (`application/problem+json`).
  var isDescribed: Bool { response.mimeType?.lowercased() == "application/problem+json" }

  /// Takes the next bytes of the body; false if no more are needed.
  mutating func take(_ data: Data) -> Bool {
    body.append(data.prefix(FailedAnswer.limit - body.count))
    return body.count < FailedAnswer.limit
  }

  /// The failure with the server's description, if the body has one.
  var told: ToolFailure {
    guard let problem = URLSessionProblemDetails(response, body) else { return failure }
    let words = [problem.title, problem.detail].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ": ")
    guard !words.isEmpty, let http = response as? HTTPURLResponse else { return failure }
    return ToolFailure(
      failure.status, "\(FailedAnswer.text(http)): \(words.shortened(FailedAnswer.length))", failure.transience)
  }

  /// The status as text, such as "the server answered 404 (not found)".
  static func text(_ response: HTTPURLResponse) -> String {
    "the server answered \(response.statusCode) (\(HTTPURLResponse.localizedString(forStatusCode: response.statusCode)))"
  }
}
