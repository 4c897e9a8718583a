import Foundation
import URLLoadingSystem

/// A session whose requests all carry the same header fields.
public func sessionWithDefaultHeaders(userAgent: String, token: String) -> URLSession {
  let configuration = URLSessionConfiguration.default
  configuration.httpAdditionalHeaders = [
    "User-Agent": userAgent,
    "Authorization": "Bearer \(token)",
    "Accept": "application/json",
  ]
  return URLSession(configuration: configuration)
}

/// The header fields a server saw, given one that answers with them.
public func seenHeaders(at url: URL, session: URLSession, overriding fields: [String: String] = [:]) async throws -> [String: String] {
  struct Answer: Decodable { var headers: [String: String] }
  var request = URLRequest(url: url)
  for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
  let (data, _) = try await session.data(for: request)
  return try JSONDecoder().decode(Answer.self, from: data).headers
}
