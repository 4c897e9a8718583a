import Foundation
import URLLoadingSystem

/// What a response says about its body, in the spellings apps use.
public struct BodyFacts: Equatable, Sendable {
  public var type: String?
  public var sameInAnyCase: Bool
  public var encoding: String?
  public var suggestedName: String?
  public var statusText: String
}

/// Reads header fields from a response.
public func bodyFacts(of url: URL) async throws -> BodyFacts {
  let (_, response) = try await URLSession.shared.data(from: url)
  guard let http = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
  let type = http.value(forHTTPHeaderField: "Content-Type")
  return BodyFacts(
    type: type,
    sameInAnyCase: type == http.value(forHTTPHeaderField: "content-type") && http.allHeaderFields["Content-Type"] as? String == type,
    encoding: http.textEncodingName,
    suggestedName: http.suggestedFilename,
    statusText: HTTPURLResponse.localizedString(forStatusCode: http.statusCode))
}
